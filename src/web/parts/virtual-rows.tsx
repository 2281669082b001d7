// A long list of which only what can be seen is in the page: rows of one height, in a box that scrolls. What has the focus
// stays in the page, so that the keyboard never falls out of the list.
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface VirtualRowsProps<T> {
  items: readonly T[];
  rowPx: number;
  keyOf(item: T): string;
  row(item: T, index: number): ComponentChildren;
  label: string;
}

export function VirtualRows<T>({ items, rowPx, keyOf, row, label }: VirtualRowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [focused, setFocused] = useState<string | null>(null);
  const kept = focused === null ? -1 : items.findIndex((item) => keyOf(item) === focused);
  const options = {
    ...{ count: items.length, overscan: 6, initialRect: { width: 0, height: 24 * rowPx } },
    ...{ observeElementRect, observeElementOffset, scrollToFn: elementScroll },
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => [
      ...new Set([...defaultRangeExtractor(range), ...(kept < 0 ? [] : [kept])]),
    ],
    onChange: () => redraw(undefined),
  };
  const [rows] = useState(() => new Virtualizer<HTMLDivElement, Element>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
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
        {rows.getVirtualItems().map(({ index: at }) => (
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
