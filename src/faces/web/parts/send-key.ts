// Ctrl+Enter sends the form one types in.
export function sendOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).closest('form')?.requestSubmit();
}
