# Family b: S -8Mb/0.1ms- R -0.8Mb/100ms- K; the packets listed are lost before the queue of R -> K,
# counted from 0 in order of arrival there. Prints the run packet by packet (see packets.tcl).
#   ns listed_drops.tcl variant=Reno droplist="14 28" config=classic
source [file join [file dirname [info script]] flow.tcl]
source [file join [file dirname [info script]] packets.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {window 28 droplist 14 stop 6 config default scratch /tmp/listed_drops}
foreach word $argv { regexp {^config=(.*)$} $word -> want(config) }
switch $want(config) {
    classic { array set want {tick 0.1 minrto 1.0 limtx 0} }
    default { array set want {syn true iw 2 useheaders true} }
    plain {}
}
read_settings want

ns-random $want(seed)
set sim [new Simulator]
foreach node {server router client} { lappend nodes [set $node [$sim node]] }
chain $sim $nodes {8Mb 0.1ms 0.8Mb 100ms} $want(qlim)
if {[llength $want(droplist)] > 0} {
    set losses [new ErrorModel/List]
    $losses droplist $want(droplist)
    $sim lossmodel $losses $router $client
}
set sender [bulk_flow $sim $server $client want]
record $sim $sender $nodes [list $router $client] $want(scratch).[pid]
set keys {tick minrto limtx syn iw useheaders window seed}
foreach {key usual} {pkt 1000 qlim 50 stop 6 release 2010} { if {$want($key) != $usual} { lappend keys $key } }
$sim at $want(stop) { print_recording $sim $sender want $keys; exit 0 }
$sim run
