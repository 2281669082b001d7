// What the worktree of a task changes, asked again while its agent works: files folded, a comment on any line, merge and discard.
import { useState } from 'preact/hooks';
import { shownName } from '../../../../core/task/names.ts';
import { SUMMARIES } from '../../../../operations/summaries.ts';
import type { Answer, TaskDetail } from '../../../api/calls.ts';
import { Section } from '../../../parts/blocks.tsx';
import { Button, Confirm, WordsForm } from '../../../parts/fields.tsx';
import { Mark } from '../../../parts/marks.tsx';
import { onTask, refOf } from '../../../room/actions.ts';
import { useQuery } from '../../../room/queries.ts';

type Diff = Answer<'diff'>;
type FileDiff = Diff['files'][number];

const MOST_OPEN_LINES = 300; // Files are open where all of them have no more lines than that.

export function DiffView({ task }: { task: TaskDetail }) {
  const ref = refOf(task);
  const { value: diff } = useQuery('diff', task.id === null ? null : { ref }, task.running !== null);
  if (diff === null || diff.branch === null) return null;
  const count = (of: 'additions' | 'deletions') => diff.files.reduce((sum, file) => sum + file[of], 0);
  const [added, removed] = [count('additions'), count('deletions')];
  return (
    <Section title="Changes" count={diff.files.length} beside={<Decide task={task} />}>
      <p class="small muted">
        <Counts added={added} removed={removed} /> on <code>{diff.branch}</code>
      </p>
      {diff.note && <p class="note tone-pending">{diff.note}</p>}
      {diff.files.length === 0 && <p class="muted">It changes nothing yet.</p>}
      {diff.files.map((file) => (
        <FileChange key={file.path} file={file} task={ref} isOpen={added + removed <= MOST_OPEN_LINES} />
      ))}
    </Section>
  );
}

const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <>
    +{added} −{removed}
  </>
);

function Decide({ task }: { task: TaskDetail }) {
  const [asks, ask] = useState(false);
  const ref = refOf(task);
  const isBusy = task.running !== null;
  return (
    <>
      <Button
        name="Merge"
        title={SUMMARIES.merge ?? ''}
        disabled={isBusy}
        run={() => onTask(ref, 'The branch is merged', 'merge')}
      />
      <Button
        name="Pull request"
        title={SUMMARIES.pr ?? ''}
        disabled={isBusy}
        run={() => onTask(ref, 'The pull request is there', 'pr')}
      />
      <Button
        name="Discard …"
        title={SUMMARIES.discard ?? ''}
        kind="quiet"
        disabled={isBusy}
        run={() => ask(true)}
      />
      {asks && (
        <Confirm
          of={{
            title: 'Discard the changes?',
            text: `The worktree and the branch of “${shownName(task)}” are removed. git keeps their work for 30 days.`,
            button: 'Discard',
            isDanger: true,
            run: () => onTask(ref, 'The worktree and the branch are discarded', 'discard'),
          }}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

function FileChange({ file, task, isOpen: isFirst }: { file: FileDiff; task: string; isOpen: boolean }) {
  const [isOpen, open] = useState(isFirst);
  const [line, choose] = useState<number | null>(null);
  const { path, old_path: old, change, additions, deletions, binary, hunks } = file;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <bdi class="name">{old === null ? path : `${old} → ${path}`}</bdi>{' '}
        {change !== 'modified' && <Mark tone="plain" text={change.replace('_', ' ')} />}{' '}
        <span class="small muted">
          {binary ? 'binary' : <Counts added={additions} removed={deletions} />}
        </span>
      </summary>
      {isOpen && hunks.length > 0 && (
        <div class="output" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
          {hunks.map((hunk) => (
            <HunkLines key={hunk.header} hunk={hunk} path={path} onChoose={choose} />
          ))}
        </div>
      )}
      {isOpen && line !== null && (
        <WordsForm
          draft={`comment ${task} ${path}:${line}`}
          label={`Comment on ${path}:${line}`}
          placeholder={`Comment on line ${line}`}
          button="Comment"
          send={async (text) => {
            const isSent = await onTask(task, 'The comment is added', 'comment', {
              text,
              at: `${path}:${line}`,
            });
            if (isSent) choose(null);
            return isSent;
          }}
        />
      )}
    </details>
  );
}

const TONES: Readonly<Record<string, string>> = { '+': 'tone-completed', '-': 'tone-failed' };

type HunkProps = { hunk: FileDiff['hunks'][number]; path: string; onChoose: (line: number) => void };

function HunkLines({ hunk: { header, new_start: start, lines }, path, onChoose }: HunkProps) {
  let next = start;
  return (
    <table class="diff">
      <caption class="muted">{header}</caption>
      <tbody>
        {lines.map((text, at) => {
          const line = /^[ +]/.test(text) ? next++ : null;
          return (
            <tr key={at} class={TONES[text[0] ?? ''] ?? 'tone-plain'}>
              <td>
                {line !== null && (
                  <Button
                    name={line}
                    kind="quiet"
                    label={`Comment on ${path}:${line}`}
                    run={() => onChoose(line)}
                  />
                )}
              </td>
              <td>{text}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
