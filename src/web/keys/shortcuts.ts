// The keys of the page: each view says its own while it is shown, and the help lists what counts now. No key is a command
// while a person types, or while a dialog or an editor is open.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** As `KeyboardEvent.key` has it; `Shift+ArrowLeft` with Shift. */
  key: string;
  about: string;
  group: string;
  run(event: KeyboardEvent): unknown;
}

const layers = signal<readonly (readonly Shortcut[])[]>([]);

/** What counts now: of two with one key the one that came last. */
export function activeShortcuts(): Shortcut[] {
  const byKey = new Map<string, Shortcut>();
  for (const shortcut of layers.value.flat()) {
    byKey.delete(shortcut.key);
    byKey.set(shortcut.key, shortcut);
  }
  return [...byKey.values()];
}

/** They count while the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  const names = shortcuts.map(({ key, about }) => `${key} ${about}`).join('\n');
  useEffect(() => {
    const layer = newest.current.map((each, at) => ({
      ...each,
      run: (event: KeyboardEvent) => newest.current[at]?.run(event),
    }));
    layers.value = [...layers.value, layer];
    return () => {
      layers.value = layers.value.filter((other) => other !== layer);
    };
  }, [names]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target) || document.querySelector('dialog[open], .editor') !== null) return;
  const key = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  const shortcut = activeShortcuts().find((each) => each.key === key);
  if (shortcut === undefined) return;
  event.preventDefault();
  shortcut.run(event);
});

/** Moves the focus by one among what can be focused in order: the links and cards of lists. */
export function moveFocus(by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-stop]')].sort(byPlace);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? stops[by > 0 ? 0 : stops.length - 1] : stops[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Rows that a long list kept in the page may stand in another order there. */
function byPlace(one: HTMLElement, other: HTMLElement): number {
  const [a, b] = [one.closest('[aria-posinset]'), other.closest('[aria-posinset]')];
  if (a === null || b === null || a.parentElement !== b.parentElement)
    return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  return Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset'));
}
