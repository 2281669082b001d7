// What was finished, newest first, each as it stood then.

import { useState } from 'preact/hooks';
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { HistoryLine } from '../../api/shapes.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { StatusMark } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { useResource } from '../../room/resource.ts';

const PAGE = 50;
const MOST = 1_000;

export function HistoryView() {
  const [limit, setLimit] = useState(PAGE);
  const { value, error } = useResource(at('history', { limit }), ['figures']);
  const [last, keep] = useState<HistoryLine[] | null>(null);
  if (value !== null && value.history !== last) keep(value.history);
  const lines = value?.history ?? last;
  if (error !== null && lines === null) return <Failed error={error} />;
  if (lines === null) return <Loading />;
  return (
    <div>
      <header class="view-head">
        <h1>History</h1>
      </header>
      {lines.length === 0 ? (
        <Empty title="Nothing is finished yet">Every finished task leaves its whole text here.</Empty>
      ) : (
        <ul class="rows history">
          {lines.map((line) => (
            <li key={`${line.id} ${line.archived_at}`}>
              <HistoryEntry line={line} />
            </li>
          ))}
        </ul>
      )}
      {lines.length === limit && limit < MOST ? (
        <button type="button" onClick={() => setLimit(Math.min(MOST, limit * 4))}>
          Show more
        </button>
      ) : null}
    </div>
  );
}

function HistoryEntry({ line }: { line: HistoryLine }) {
  const [isOpen, open] = useState(false);
  const { title } = line.task;
  return (
    <details class="history-line" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary data-stop>
        <StatusMark status={line.status === 'canceled' ? 'canceled' : 'done'} />
        <bdi class="turn-what">{typeof title === 'string' && title !== '' ? title : line.name}</bdi>
        <span class="muted">
          <When at={line.archived_at} />
        </span>
      </summary>
      {isOpen ? (
        <div class="words">
          <p>
            <a href={addressOf(['task', line.id])}>Open the task</a>
          </p>
          <Markdown text={line.text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '')} />
        </div>
      ) : null}
    </details>
  );
}
