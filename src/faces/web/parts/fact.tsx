// One line of a list of facts.
import type { ComponentChildren } from 'preact';

/** Nothing where nothing is known. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  const isEmpty = [children]
    .flat()
    .every((child) => child === null || child === false || child === undefined);
  if (isEmpty) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="wrap">{children}</dd>
    </div>
  );
}
