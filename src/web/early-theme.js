// Applies the theme that the person chose before anything is drawn: the page's own script comes a moment later. Plain script,
// as it runs in the head; what it reads is written by room/theme.ts.
try {
  document.documentElement.dataset.theme = localStorage.getItem('taskroom.theme') ?? 'auto';
} catch {
  // A browser may keep nothing for pages: then the system's counts.
}
