// The pull request of a task: its state, its checks, and what people said in their reviews.
import { pullWords } from '../../../core/pull-words.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { Section } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Mark } from '../../parts/marks.tsx';
import { When } from '../../parts/times.tsx';
import { onTask, refOf } from '../../room/actions.ts';
import { TrackerLink } from './task-words.tsx';

const TONES: Readonly<Record<string, string>> = {
  ...{ merged: 'completed', passed: 'completed', approved: 'completed' },
  ...{ failed: 'failed', changes_requested: 'failed', pending: 'pending' },
};

export function PullView({ task }: { task: TaskDetail }) {
  const { pull_request: pull } = task;
  if (pull === null) return null;
  return (
    <Section title="Pull request" class="comments">
      <p class="wrap">
        <TrackerLink url={pull.url} of={pull.ref} />
        <Mark tone={TONES[pull.state] ?? 'plain'} text={pullWords(pull).join(', ')} />
        {pull.state === 'open' && (
          <Button
            name="Merge it"
            disabled={task.running !== null}
            run={() => onTask(refOf(task), 'The pull request is merged', 'pr', { merge: true })}
          />
        )}
      </p>
      <p class="wrap">
        {pull.checks.map(({ name, state, url }) => (
          <span key={name} class="line">
            <Mark tone={TONES[state] ?? 'plain'} text={state} />
            <TrackerLink url={url} of={name} />
          </span>
        ))}
      </p>
      <ul class="stack">
        {pull.reviews.map(({ author, trusted, verdict, place, text, at }, index) => (
          <li key={`${at} ${index}`} class="card">
            <p class="small muted">
              <strong>
                <bdi>{author}</bdi>
              </strong>{' '}
              {!trusted && <span class="label">not trusted</span>}{' '}
              {verdict !== 'commented' && (
                <Mark tone={TONES[verdict] ?? 'plain'} text={verdict.replace('_', ' ')} />
              )}{' '}
              {place && <code>{place}</code>} <When at={at} />
            </p>
            <Markdown text={text} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
