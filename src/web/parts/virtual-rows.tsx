// A long list of which only what can be seen is in the page: rows of one height, in a box that scrolls. What has the focus
// stays in the page, so that the keyboard never falls out of the list.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const MORE_ROWS = 6;

export interface VirtualRowsProps<T> {
  items: readonly T[];
  rowPx: number;
  keyOf(item: T): string;
  row(item: T, index: number): ComponentChildren;
  label: string;
}

interface Seen {
  from: number;
  to: number;
}

export function VirtualRows<T>({ items, rowPx, keyOf, row, label }: VirtualRowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [{ from, to }, see] = useState<Seen>({ from: 0, to: 30 });
  const [focused, setFocused] = useState<string | null>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowPx) - MORE_ROWS);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowPx) + MORE_ROWS;
      see((was) => (was.from === first && was.to === last ? was : { from: first, to: last }));
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [rowPx]);
  const end = Math.min(items.length, to);
  const shown = [...items.slice(from, end).keys()].map((at) => at + from);
  const kept = focused === null ? -1 : items.findIndex((item) => keyOf(item) === focused);
  if (kept >= 0 && (kept < from || kept >= end)) shown.push(kept);
  return (
    <div class="virtual" ref={box} tabIndex={-1} style={{ '--rows-height': `${items.length * rowPx + 2}px` }}>
      <ul
        aria-label={label}
        style={{ height: `${items.length * rowPx}px` }}
        onFocusIn={({ target }) =>
          setFocused((target as Element).closest('[data-key]')?.getAttribute('data-key') ?? null)
        }
        onFocusOut={() => setFocused(null)}
      >
        {shown.map((at) => (
          <li
            key={keyOf(items[at]!)}
            data-key={keyOf(items[at]!)}
            aria-setsize={items.length}
            aria-posinset={at + 1}
            style={{ transform: `translateY(${at * rowPx}px)`, height: `${rowPx}px` }}
          >
            {row(items[at]!, at)}
          </li>
        ))}
      </ul>
    </div>
  );
}
