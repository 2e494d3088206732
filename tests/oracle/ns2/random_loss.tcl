# Family a: S -100Mb/50ms- R -10Mb/3ms- BS -2Mb/5ms- MN with random loss of packets towards MN.
#   ns random_loss.tcl variant=Newreno per=0.01 seed=1 dur=300
#   lossat=end   the packet has used its airtime (after propagation)
#   lossat=head  it has not (before the queue)
#   header=1     prints the column names instead of running
#   packets=1    prints the run packet by packet instead of counters (see packets.tcl)
source [file join [file dirname [info script]] flow.tcl]
source [file join [file dirname [info script]] packets.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {variant Newreno per 0.01 lossat end dur 300 header 0 packets 0 scratch /tmp/random_loss
    chain three_hops droplist {}}
read_settings want
if {$want(header)} { puts "variant,per,seed,dur,window,qlim,lossat,$COUNTERS"; exit 0 }

ns-random $want(seed)
set sim [new Simulator]
foreach node {server router base mobile} { lappend nodes [set $node [$sim node]] }
chain $sim $nodes {100Mb 50ms 10Mb 3ms 2Mb 5ms} $want(qlim)
if {$want(per) > 0} {
    set air [new ErrorModel]
    $air unit pkt
    $air set rate_ $want(per)
    $air ranvar [loss_draws $want(seed)]
    $air drop-target [new Agent/Null]
    if {$want(lossat) eq "end"} { $sim link-lossmodel $air $base $mobile } else { $sim lossmodel $air $base $mobile }
}
set sender [bulk_flow $sim $server $mobile want]
if {$want(packets)} {
    record $sim $sender $nodes [list $base $mobile] $want(scratch).[pid]
    set keys {chain per lossat dur tick minrto limtx syn iw useheaders window seed pkt qlim}
    if {$want(release) ne "2010"} { lappend keys release }
    $sim at $want(dur) { print_recording $sim $sender want $keys; exit 0 }
}
$sim at $want(dur) {
    puts "$want(variant),$want(per),$want(seed),$want(dur),$want(window),$want(qlim),$want(lossat),[counters $sender $want(dur) want]"
    exit 0
}
$sim run
