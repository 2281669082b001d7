// A box that grows at its end, and stays there while the reader is there.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const NEAR_END_PX = 40;

/** @param of what is shown: another one moves the box to its end */
export function StuckToEnd({
  of,
  label,
  children,
}: {
  of: unknown;
  label: string;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [of]);
  return (
    <div
      class="output"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label={label}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {children}
    </div>
  );
}
