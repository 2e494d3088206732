# Family a: which packets, counted in order of arrival at the error model, random_loss.tcl loses, and
# the clock phase of the sender as a fraction of a tick, as one JSON object.
#   ns loss_indices.tcl seed=1 n=80000 pers="0.01 0.05"
source [file join [file dirname [info script]] flow.tcl]
array set want {seed 1 n 80000 pers "0.001 0.003 0.01 0.03 0.05"}
read_settings want
ns-random $want(seed)
for {set i 1} {$i <= 3} {incr i} { set phase($i) [$defaultRNG uniform 0 1] }
set draws [loss_draws $want(seed)]
foreach per $want(pers) { set lost($per) {} }
for {set i 0} {$i < $want(n)} {incr i} {
    set u [$draws value]
    foreach per $want(pers) { if {$u < $per} { lappend lost($per) $i } }
}
puts -nonewline "{\"seed\":$want(seed),\"n\":$want(n)"
puts -nonewline [format ",\"boot_time_over_tick\":%.17g" $phase(2)]
puts -nonewline [format ",\"boot_time_over_tick_vegas\":%.17g" $phase(3)]
foreach per $want(pers) { puts -nonewline ",\"$per\":\[[join $lost($per) ,]\]" }
puts "}"
exit 0
