# Family d: one Vegas flow over 20Mb/22ms - 20Mb/2ms - 10Mb/1ms with buffers of 10 packets and window
# 128, without random loss. Steady state: from 50 s to the end.
#   ns vegas_buffers.tcl pkt=1000 alpha=1 beta=3 gamma=1
#   header=1  prints the column names instead of running
source [file join [file dirname [info script]] flow.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {variant Vegas window 128 qlim 10 dur 200 steady 50 header 0}
read_settings want
if {$want(header)} { puts "variant,pkt,alpha,beta,gamma,window,qlim,seed,dur,$COUNTERS,steady_bps"; exit 0 }

ns-random $want(seed)
set sim [new Simulator]
foreach node {server left right client} { lappend nodes [set $node [$sim node]] }
chain $sim $nodes {20Mb 22ms 20Mb 2ms 10Mb 1ms} $want(qlim)
set sender [bulk_flow $sim $server $client want]
$sim at $want(steady) { set before [$sender set ack_] }
$sim at $want(dur) {
    set steady [expr {([$sender set ack_] - $before) * $want(pkt) * 8.0 / ($want(dur) - $want(steady))}]
    puts "$want(variant),$want(pkt),$want(alpha),$want(beta),$want(gamma),$want(window),$want(qlim),$want(seed),$want(dur),[counters $sender $want(dur) want],[format %.1f $steady]"
    exit 0
}
$sim run
