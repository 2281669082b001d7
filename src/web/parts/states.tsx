// What stands where there is nothing, nothing yet, or an error.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/request.ts';
import type { Query } from '../room/queries.ts';
import { rowsError } from '../room/task-rows.ts';

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
