// Applies the theme that the person chose before anything is drawn: the page's own script comes a moment later. Plain script,
// as it runs in the head; what it reads is written by room/theme.ts.
try {
  document.documentElement.style.colorScheme = localStorage.getItem('taskroom.theme') ?? '';
} catch {
  // A browser may keep nothing for pages: then the system's counts.
}
