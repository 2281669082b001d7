// What was finished, newest first, each as it stood then.
import { useState } from 'preact/hooks';
import { addressOf } from '../../address.ts';
import type { Answer } from '../../api/calls.ts';
import { Head } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Markdown, withoutFrontMatter } from '../../parts/markdown.tsx';
import { StatusMark } from '../../parts/marks.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { useQuery } from '../../room/queries.ts';

type History = Answer<'history'>;

const PAGE = 50;
const MOST = 1_000;

export function HistoryView() {
  const [limit, setLimit] = useState(PAGE);
  const query = useQuery('history', { limit });
  // Fewer lines stay while more are read.
  const [last, keep] = useState<History | null>(null);
  if (query.value !== null && query.value !== last) keep(query.value);
  return (
    <div class="stack far">
      <Head title="History" />
      <Answered query={{ ...query, value: query.value ?? last }}>
        {({ history }) => (
          <>
            {history.length === 0 && (
              <Empty title="Nothing is finished yet">Every finished task leaves its whole text here.</Empty>
            )}
            <ul>
              {history.map((line) => (
                <li key={`${line.id} ${line.archived_at}`}>
                  <HistoryEntry line={line} />
                </li>
              ))}
            </ul>
            {history.length === limit && limit < MOST && (
              <Button name="Show more" run={() => setLimit(Math.min(MOST, limit * 4))} />
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

function HistoryEntry({ line }: { line: History['history'][number] }) {
  const [isOpen, open] = useState(false);
  const { title } = line.task;
  return (
    <details class="history-line" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary class="line" data-stop>
        <StatusMark status={line.status === 'canceled' ? 'canceled' : 'done'} />
        <bdi class="grow cut">{typeof title === 'string' && title !== '' ? title : line.name}</bdi>
        <span class="muted">
          <When at={line.archived_at} />
        </span>
      </summary>
      {isOpen && (
        <div class="stack">
          <p>
            <a href={addressOf(['task', line.id])}>Open the task</a>
          </p>
          <Markdown text={withoutFrontMatter(line.text)} />
        </div>
      )}
    </details>
  );
}
