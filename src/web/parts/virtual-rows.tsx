// A long list of which only what can be seen is in the page, in a box that scrolls: rows of one height, or as high as they are
// measured. What has the focus stays in the page, so that the keyboard never falls out of the list.
import {
  defaultRangeExtractor,
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface VirtualRowsProps<T> {
  items: readonly T[];
  rowPx: number; // The height of a row; of one that is measured, the one that is likely.
  isMeasured?: boolean;
  keyOf(item: T): string;
  row(item: T, index: number): ComponentChildren;
  label: string;
}

export function VirtualRows<T>({ items, rowPx, isMeasured = false, keyOf, row, label }: VirtualRowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [focused, setFocused] = useState<string | null>(null);
  const kept = focused === null ? -1 : items.findIndex((item) => keyOf(item) === focused);
  const options = {
    ...{ count: items.length, overscan: 6, initialRect: { width: 0, height: 24 * rowPx } },
    ...{ observeElementRect, observeElementOffset, measureElement, scrollToFn: elementScroll },
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    getItemKey: (at: number) => keyOf(items[at]!),
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => [
      ...new Set([...defaultRangeExtractor(range), ...(kept < 0 ? [] : [kept])]),
    ],
    onChange: () => redraw(undefined),
  };
  const [rows] = useState(() => new Virtualizer<HTMLDivElement, Element>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  const heightPx = rows.getTotalSize();
  return (
    <div class="virtual" ref={box} tabIndex={-1} style={{ '--rows-height': `${heightPx + 2}px` }}>
      <ul
        aria-label={label}
        style={{ height: `${heightPx}px` }}
        onFocusIn={({ target }) =>
          setFocused((target as Element).closest('[data-key]')?.getAttribute('data-key') ?? null)
        }
        onFocusOut={() => setFocused(null)}
      >
        {rows.getVirtualItems().map(({ index: at, start }) => (
          <li
            key={keyOf(items[at]!)}
            ref={isMeasured ? rows.measureElement : null}
            data-index={at}
            data-key={keyOf(items[at]!)}
            aria-setsize={items.length}
            aria-posinset={at + 1}
            style={{ transform: `translateY(${start}px)`, ...(!isMeasured && { height: `${rowPx}px` }) }}
          >
            {row(items[at]!, at)}
          </li>
        ))}
      </ul>
    </div>
  );
}
