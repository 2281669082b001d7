// A task as a link to its view.
import { addressOf } from '../address.ts';
import type { Status } from '../api/shapes.ts';
import { StatusMark } from './marks.tsx';

export function TaskLink({ id, name, status }: { id: string; name: string; status?: Status | null }) {
  return (
    <span class="task-link">
      {status ? <StatusMark status={status} /> : null}
      <a href={addressOf(['task', id])}>
        <bdi>{name}</bdi>
      </a>
    </span>
  );
}
