# One NewReno flow, S -100Mb/50ms- R -10Mb/3ms- BS -2Mb/5ms- MN, 1 % random loss on the last hop.
#   ns three_hops.tcl ?trimmed? seed seconds
# Prints the packets acknowledged. Nothing is traced.
if {[lindex $argv 0] eq "trimmed"} {
    remove-all-packet-headers
    add-packet-header Flags IP TCP
    set argv [lrange $argv 1 end]
}
lassign $argv seed seconds
ns-random $seed
set sim [new Simulator]
foreach node {server router base mobile} { set $node [$sim node] }
foreach {left right rate delay} [list $server $router 100Mb 50ms $router $base 10Mb 3ms $base $mobile 2Mb 5ms] {
    $sim duplex-link $left $right $rate $delay DropTail
    $sim queue-limit $left $right 50
    $sim queue-limit $right $left 50
}
set air [new ErrorModel]
$air unit pkt
$air set rate_ 0.01
$air drop-target [new Agent/Null]
$sim link-lossmodel $air $base $mobile
set sender [new Agent/TCP/Newreno]
foreach {variable value} {
    packetSize_ 1000 useHeaders_ false window_ 64 windowInit_ 1 syn_ false delay_growth_ false
} { $sender set $variable $value }
set receiver [new Agent/TCPSink]
$sim attach-agent $server $sender
$sim attach-agent $mobile $receiver
$sim connect $sender $receiver
set application [new Application/FTP]
$application attach-agent $sender
$sim at 0.0 "$application start"
$sim at $seconds { puts [expr {[$sender set ack_] + 1}]; exit 0 }
$sim run
