# 100 NewReno flows over a shared 1 Gb/s link with 20 ms and a queue of 1000 packets. Access links have
# 1 Gb/s, and flow i a delay of 1 ms + i * 0.1 ms on either side, so that the flows do not synchronise.
#   ns dumbbell.tcl ?trimmed? seed seconds
# Prints the packets acknowledged, all flows together. Nothing is traced.
if {[lindex $argv 0] eq "trimmed"} {
    remove-all-packet-headers
    add-packet-header Flags IP TCP
    set argv [lrange $argv 1 end]
}
lassign $argv seed seconds
ns-random $seed
set sim [new Simulator]
proc wire {left right delay limit} {
    global sim
    $sim duplex-link $left $right 1Gb $delay DropTail
    $sim queue-limit $left $right $limit
    $sim queue-limit $right $left $limit
}
set left [$sim node]
set right [$sim node]
wire $left $right 20ms 1000
for {set i 0} {$i < 100} {incr i} {
    set delay [expr {1.0 + 0.1 * $i}]ms
    set from [$sim node]
    set to [$sim node]
    wire $from $left $delay 1000
    wire $right $to $delay 1000
    set sender [new Agent/TCP/Newreno]
    foreach {variable value} {
        packetSize_ 1000 useHeaders_ false window_ 128 windowInit_ 1 syn_ false delay_growth_ false
    } { $sender set $variable $value }
    set receiver [new Agent/TCPSink]
    $sim attach-agent $from $sender
    $sim attach-agent $to $receiver
    $sim connect $sender $receiver
    set application [new Application/FTP]
    $application attach-agent $sender
    $sim at 0.0 "$application start"
    lappend senders $sender
}
$sim at $seconds {
    set acknowledged 0
    foreach sender $senders { incr acknowledged [expr {[$sender set ack_] + 1}] }
    puts $acknowledged
    exit 0
}
$sim run
