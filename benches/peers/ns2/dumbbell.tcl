# 100 NewReno flows over a shared 1 Gb/s link with 20 ms and a queue of 1000 packets. Access links have
# 1 Gb/s, and flow i a delay of 1 ms + i * 0.1 ms on either side, so that the flows do not synchronise.
#   ns dumbbell.tcl ?trimmed? seed seconds
source [file join [file dirname [info script]] common.tcl]
set left [$sim node]
set right [$sim node]
wire $left $right 1Gb 20ms 1000
for {set i 0} {$i < 100} {incr i} {
    set delay [expr {1.0 + 0.1 * $i}]ms
    set from [$sim node]
    set to [$sim node]
    wire $from $left 1Gb $delay 1000
    wire $right $to 1Gb $delay 1000
    flow $from $to 128 0.0
}
run
