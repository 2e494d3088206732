# One NewReno flow, S -100Mb/50ms- R -10Mb/3ms- BS -2Mb/5ms- MN, 1 % random loss on the last hop.
#   ns three_hops.tcl ?trimmed? seed seconds
source [file join [file dirname [info script]] common.tcl]
foreach node {server router base mobile} { set $node [$sim node] }
wire $server $router 100Mb 50ms 50
wire $router $base 10Mb 3ms 50
wire $base $mobile 2Mb 5ms 50
set air [new ErrorModel]
$air unit pkt
$air set rate_ 0.01
$air drop-target [new Agent/Null]
$sim link-lossmodel $air $base $mobile
flow $server $mobile 64 0.0
run
