// Everything that needs the person, by kind, each with what settles it here: an answer typed in place, or one button.

import { addressOf } from '../../address.ts';
import { change } from '../../api/calls.ts';
import type { InboxItem } from '../../api/shapes.ts';
import { AnswerForm } from '../../parts/answer-form.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { act, onTask, toResume } from '../../room/actions.ts';

const KINDS: Readonly<Record<string, string>> = {
  question: 'Questions',
  paused: 'Paused',
  trust: 'Words of strangers',
  rights: 'Changed while a turn ran',
  held: 'Held',
  conflict: 'Conflicts',
  invalid: 'Files that can’t be read',
  setup: 'Setup',
  trouble: 'Trouble',
  tracker: 'Trackers',
  notice: 'Messages',
};

export function InboxList({ items }: { items: readonly InboxItem[] }) {
  if (items.length === 0)
    return (
      <Empty title="Nothing needs you">Questions of agents, pauses, conflicts and trouble come here.</Empty>
    );
  const groups = Map.groupBy(items, ({ kind }) => kind);
  return (
    <>
      {[...groups].map(([kind, group]) => (
        <div key={kind} class="inbox-group">
          <h3>{KINDS[kind] ?? kind}</h3>
          <ul class="rows">
            {group.map((item) => (
              <InboxRow key={item.key} item={item} />
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function InboxRow({ item }: { item: InboxItem }) {
  const { kind, task, name, text, at } = item;
  const body = (
    <>
      <strong>
        <bdi>{name ?? KINDS[kind] ?? kind}</bdi>
      </strong>
      <span class="muted">
        <When at={at} />
      </span>
      <bdi class="inbox-text">{text}</bdi>
    </>
  );
  return (
    <li class={`card inbox-${kind}`}>
      {task === null ? (
        <div class="card-main" data-stop tabIndex={-1}>
          {body}
        </div>
      ) : (
        <a class="card-main" data-stop href={addressOf(['task', task])}>
          {body}
        </a>
      )}
      <Settle item={item} />
    </li>
  );
}

function Settle({ item }: { item: InboxItem }) {
  const { kind, task, key, name, settle } = item;
  const about = { id: task, name: name ?? '' };
  if (kind === 'question' && task !== null)
    return <AnswerForm task={task} question={key.slice(`question:${task}:`.length)} about={item.text} />;
  return (
    <div class="card-side">
      {kind === 'paused' && task !== null ? (
        <button type="button" onClick={() => void onTask(about, 'The task goes on', toResume)}>
          Resume
        </button>
      ) : kind === 'trust' && task !== null ? (
        <a class="button" href={addressOf(['task', task])}>
          Look at it
        </a>
      ) : kind === 'rights' ? (
        <button type="button" onClick={() => void accept(key)}>
          Accept
        </button>
      ) : kind === 'held' ? (
        <button type="button" onClick={() => void releaseHeld()}>
          Run them
        </button>
      ) : kind === 'conflict' ? (
        <a class="button" href={addressOf(['mirrors'], { state: 'conflict' })}>
          Compare
        </a>
      ) : kind === 'notice' ? (
        <button type="button" class="quiet" onClick={() => void markSeen(key)}>
          Seen
        </button>
      ) : (
        <code class="settle">{settle}</code>
      )}
    </div>
  );
}

function accept(key: string): Promise<boolean> {
  return act('It counts', change('accept', { what: key }));
}

function releaseHeld(): Promise<boolean> {
  return act('What was held runs', change('release', {}));
}

function markSeen(key: string): Promise<boolean> {
  const seqs = [Number(key.slice('notice:'.length))];
  return act('Seen', change('markNoticesTold', { seqs }));
}
