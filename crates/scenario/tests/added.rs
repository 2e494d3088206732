//! Congestion controls of other crates. What is added stays for the whole process, so all of it is one test in a program of its own.

use seamline_scenario::Plan;
use seamline_scenario::keys::{Keys, number, table};
use seamline_scenario::schema::added::{self, Added};
use seamline_tcp::cc::{Acked, Algorithm, CongestionControl, Loss, NameTaken};
use seamline_tcp::variant;
use seamline_tcp::view::{View, Window};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Clone, Debug, Default, PartialEq)]
struct Constant {
    segments: f64,
}

impl CongestionControl for Constant {
    fn on_ack(&mut self, _: &Acked, view: &View) -> Window {
        view.window
    }
    fn on_loss(&mut self, _: Loss, view: &View) -> Window {
        view.window
    }
}

const fn named(name: &'static str) -> Algorithm {
    Algorithm {
        name,
        summary: "a constant window",
        cite: "",
        refuses: &[("tahoe", "it starts from one segment")],
        needs_send_log: false,
        build: &|parameters| Box::new(parameters.congestion_control.own.get::<Constant>()),
    }
}

static CONSTANT: Algorithm = named("constant");
static CUBIC: Algorithm = named("cubic");
static NEWRENO: Algorithm = named("newreno");
static SCRIPT: Algorithm = named("script");
static VERSION: AtomicU32 = AtomicU32::new(1);
static SIZE: Algorithm = named("size");

fn keys() -> Keys<'static, Constant> {
    table! { Constant; key segments: number(0.0, 1e6), "The window"; }
}

fn add(algorithms: &[&'static Algorithm]) -> Result<(), NameTaken> {
    added::add(algorithms.iter().map(|algorithm| Added::new(algorithm, keys)).collect())
}

fn plan(overrides: &[&str]) -> Plan {
    let text = r#"
        duration = "1 s"
        nodes = ["a", "b"]
        link = [{ name = "wire", from = "a", to = "b", rate = "1 Mbit/s", one_way_delay = "1 ms" }]
        flow = [{ name = "main", from = "a", to = "b" }]
    "#;
    let overrides: Vec<String> = overrides.iter().map(|it| (*it).to_owned()).collect();
    Plan::new(Path::new("it.toml"), text.to_owned(), &overrides).unwrap()
}

#[test]
fn added_controls_are_like_others() {
    for taken in [&CUBIC, &NEWRENO, &SIZE] {
        assert_eq!(add(&[&CONSTANT, taken]), Err(NameTaken(taken.name)));
    }
    assert_eq!(add(&[&CONSTANT, &CONSTANT]), Err(NameTaken("constant")));
    assert!(!added::is_taken("constant"), "a refusal adds nothing");
    add(&[&CONSTANT]).unwrap();
    assert!(added::is_taken("constant"));

    for (overrides, segments) in [(&[][..], 0.0), (&["flow.main.constant.segments=7"], 7.0)] {
        let plan = plan(&[&["flow.main.variant=constant"], overrides].concat());
        let flow = &plan.cells[0].scenario.flows[0];
        assert_eq!(flow.variant.congestion_control.name, "constant");
        assert_eq!(flow.parameters.congestion_control.own.get::<Constant>(), Constant { segments });
        let built = (flow.variant.congestion_control.build)(&flow.parameters);
        assert_eq!(format!("{built:?}"), format!("{:?}", Constant { segments }));
    }
    assert!(variant::pair("constant", "newreno").is_ok() && variant::pair("constant", "tahoe").is_err());
    assert_eq!(add(&[&CONSTANT]), Err(NameTaken("constant")));

    assert!(added::are_compiled());
    added::add(vec![Added::new(&SCRIPT, keys).with_version(|| VERSION.load(Ordering::Relaxed).to_string())])
        .unwrap();
    let identity = |variant: &str| plan(&[&format!("flow.main.variant={variant}")]).identity();
    let before = (identity("constant"), identity("script"));
    VERSION.store(2, Ordering::Relaxed);
    assert_eq!(identity("constant"), before.0);
    assert_ne!(identity("script"), before.1, "results depend on the text of the script");
}
