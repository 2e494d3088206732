# A server sends to users in radio cells: 100 cells, 10 NewReno flows in each. From the server 1 Tb/s and 10 ms to a router, 1 Gb/s
# and 5 ms to each base station with a queue of 1000 packets, then 20 Mb/s and 5 ms with a queue of 100. Flow i starts after i * 0.1 ms.
# Slow start ends at the window limit, or at `threshold` packets.
#   ns cells.tcl ?trimmed? seed seconds ?cells? ?threshold?
source [file join [file dirname [info script]] common.tcl]
set cells [lindex $argv 2]
if {$cells eq ""} { set cells 100 }
set threshold [lindex $argv 3]
set server [$sim node]
set router [$sim node]
wire $server $router 1000Gb 10ms 100000
for {set cell 0} {$cell < $cells} {incr cell} {
    set station [$sim node]
    set user [$sim node]
    wire $router $station 1Gb 5ms 1000
    wire $station $user 20Mb 5ms 100
    for {set i 0} {$i < 10} {incr i} {
        flow $server $user 64 [expr {($cell * 10 + $i) * 0.0001}] $threshold
    }
}
run
