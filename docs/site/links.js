// The site has only the pages of docs/. A link to another file of the repository leads nowhere there: only its text stays.
for (const link of document.querySelectorAll("main a[href]")) {
  const site = new URL(path_to_root || ".", location.href);
  if (link.origin === site.origin && !link.pathname.startsWith(site.pathname)) link.replaceWith(...link.childNodes);
}
