// What views are made of: a head, sections, rows of a list, and tabs.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../api/request.ts';
import { type Query, rowsError } from '../room/queries.ts';

export const Head = ({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) => (
  <header class="view-head wrap">
    <h1 dir="auto">{title}</h1>
    {children}
  </header>
);

export const Count = ({ of, tone = 'killed' }: { of: number | string | undefined; tone?: string }) =>
  of ? <span class={`count tone-${tone}`}>{of}</span> : null;

interface SectionProps {
  title: string;
  count?: number | string | undefined;
  beside?: ComponentChildren;
  class?: string | undefined;
  children: ComponentChildren;
}

export function Section({ title, count, beside, class: name, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} class={name}>
      <h2 class="line">
        <span id={id} dir="auto">
          {title}
        </span>
        <Count of={count} />
        {beside}
      </h2>
      {children}
    </section>
  );
}

interface CardRowProps {
  name: string;
  facts?: ComponentChildren; // Muted, beside the name.
  /** Null where there is no view of it; without one the keys that go from row to row stop at its buttons alone. */
  href?: string | null;
  task?: string | null; // What its keys act on.
  class?: string;
  sign?: ComponentChildren; // Before the name.
  side?: ComponentChildren; // At the end of the row: what can be done with it.
  children?: ComponentChildren; // Below the name.
}

export function CardRow({ name, facts, href, task, class: more = '', sign, side, children }: CardRowProps) {
  const main = (
    <>
      {sign}
      <bdi class="name">{name}</bdi>
      <span class="muted">{facts}</span>
      {children}
    </>
  );
  return (
    <li class={`card wrap ${more}`}>
      {typeof href !== 'string' ? (
        <div class="card-main wrap" {...(href === null ? { 'data-stop': true, tabIndex: -1 } : {})}>
          {main}
        </div>
      ) : (
        <a class="card-main wrap" data-stop data-task={task} href={href}>
          {main}
        </a>
      )}
      {side && <div class="wrap muted">{side}</div>}
    </li>
  );
}

interface TabsProps<T extends string> {
  label: string;
  tabs: readonly (readonly [key: T, name: ComponentChildren])[];
  chosen: T | null;
  onChoose: (key: T) => void;
}

export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  return (
    <div class="wrap" role="group" aria-label={label}>
      {tabs.map(([key, name]) => (
        <button
          key={key}
          type="button"
          class="quiet"
          aria-pressed={key === chosen}
          onClick={() => onChoose(key)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

export const StepDetails = ({ text }: { text: string }) =>
  text !== '' && (
    <p class="muted step-details" dir="auto">
      {text}
    </p>
  );

/** One line of a list of facts; nothing where nothing is known. */
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

// What stands where there is nothing, nothing yet, or an error.

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty muted">
    <p class="name">{title}</p>
    {children && <p>{children}</p>}
  </div>
);

const Loading = () => <p class="loading muted">Reading the room …</p>;

export const Failed = ({ error }: { error: ApiError }) => (
  <div role="alert">
    <Empty title={error.message}>{error.problem.hint}</Empty>
  </div>
);

/** Stands where tasks are shown, until they were read once. */
export const UnreadRows = () => (rowsError.value === null ? <Loading /> : <Failed error={rowsError.value} />);

/** What was answered; until then that it is being read, or why it can't be. What is gone is no longer shown. */
export function Answered<T>({
  query: { value, error },
  children,
}: {
  query: Query<T>;
  children: (value: T) => ComponentChildren;
}) {
  if (error !== null && (value === null || error.status === 404)) return <Failed error={error} />;
  return value === null ? <Loading /> : children(value);
}

type Invalid = { path: string; problems: readonly { message: string }[] };

export function InvalidFiles({ files }: { files: readonly Invalid[] }) {
  return (
    files.length > 0 && (
      <ul class="note tone-failed">
        {files.slice(0, 50).map(({ path, problems }) => (
          <li key={path}>
            <code>{path}</code> can’t be read: {problems[0]?.message}
          </li>
        ))}
      </ul>
    )
  );
}
