# Family c: the chain of family a without random loss; every 5 s the last hop is out for a while:
# packets of either direction that would arrive within [5k, 5k + out), k >= 1, are lost.
#   ns outage.tcl variant=Reno out=1.0 mode=err dur=300
#   mode=dual  at 5k what waits for BS -> MN is thrown away too; the packet being sent is lost on arrival
#   header=1   prints the column names instead of running
#   packets=1  prints the run packet by packet instead of counters (see packets.tcl)
source [file join [file dirname [info script]] flow.tcl]
source [file join [file dirname [info script]] packets.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {out 1.0 mode err dur 300 period 5 header 0 packets 0 scratch /tmp/outage
    chain three_hops droplist {}}
read_settings want
if {$want(header)} { puts "variant,out,mode,seed,dur,$COUNTERS"; exit 0 }

ns-random $want(seed)
set sim [new Simulator]
foreach node {server router base mobile} { lappend nodes [set $node [$sim node]] }
chain $sim $nodes {100Mb 50ms 10Mb 3ms 2Mb 5ms} $want(qlim)
foreach {from to} [list $base $mobile $mobile $base] {
    set air [new ErrorModel]
    $air unit pkt
    $air set rate_ 0
    $air drop-target [new Agent/Null]
    $sim link-lossmodel $air $from $to
    lappend directions $air
}
proc lose {fraction} { foreach air $::directions { $air set rate_ $fraction } }
for {set start $want(period)} {$start < $want(dur)} {incr start $want(period)} {
    $sim at $start { lose 1 }
    if {$want(mode) eq "dual"} { $sim at $start { [[$sim link $base $mobile] queue] reset } }
    $sim at [expr {$start + $want(out)}] { lose 0 }
}
set sender [bulk_flow $sim $server $mobile want]
if {$want(packets)} {
    record $sim $sender $nodes [list $base $mobile] $want(scratch).[pid]
    set keys {chain out period mode dur tick minrto limtx syn iw useheaders window seed pkt qlim}
    $sim at $want(dur) { print_recording $sim $sender want $keys; exit 0 }
}
$sim at $want(dur) {
    puts "$want(variant),$want(out),$want(mode),$want(seed),$want(dur),[counters $sender $want(dur) want]"
    exit 0
}
$sim run
