# A server sends to users in radio cells: 100 cells, 10 NewReno flows in each. From the server 1 Tb/s and 10 ms to a router, 1 Gb/s
# and 5 ms to each base station with a queue of 1000 packets, then 20 Mb/s and 5 ms with a queue of 100. Flow i starts after i * 0.1 ms.
#   ns cells.tcl ?trimmed? seed seconds ?cells?
# Prints the packets acknowledged, all flows together. Nothing is traced.
if {[lindex $argv 0] eq "trimmed"} {
    remove-all-packet-headers
    add-packet-header Flags IP TCP
    set argv [lrange $argv 1 end]
}
lassign $argv seed seconds cells
if {$cells eq ""} { set cells 100 }
ns-random $seed
set sim [new Simulator]
proc wire {left right rate delay limit} {
    global sim
    $sim duplex-link $left $right $rate $delay DropTail
    $sim queue-limit $left $right $limit
    $sim queue-limit $right $left $limit
}
set server [$sim node]
set router [$sim node]
wire $server $router 1000Gb 10ms 100000
set flow 0
for {set cell 0} {$cell < $cells} {incr cell} {
    set station [$sim node]
    set user [$sim node]
    wire $router $station 1Gb 5ms 1000
    wire $station $user 20Mb 5ms 100
    for {set i 0} {$i < 10} {incr i} {
        set sender [new Agent/TCP/Newreno]
        foreach {variable value} {
            packetSize_ 1000 useHeaders_ false window_ 64 windowInit_ 1 syn_ false delay_growth_ false
        } { $sender set $variable $value }
        set receiver [new Agent/TCPSink]
        $sim attach-agent $server $sender
        $sim attach-agent $user $receiver
        $sim connect $sender $receiver
        set application [new Application/FTP]
        $application attach-agent $sender
        $sim at [expr {$flow * 0.0001}] "$application start"
        incr flow
        lappend senders $sender
    }
}
$sim at $seconds {
    set acknowledged 0
    foreach sender $senders { incr acknowledged [expr {[$sender set ack_] + 1}] }
    puts $acknowledged
    exit 0
}
$sim run
