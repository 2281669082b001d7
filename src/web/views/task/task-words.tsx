// What a task says, rendered: the words of its requester in a frame that names them, questions, comments, the pull request with its
// reviews, and the sections beside.
import { pullWords } from '../../../core/remote-pulls.ts';
import type { TaskDetail } from '../../api/calls.ts';
import { Section } from '../../parts/blocks.tsx';
import { AnswerForm, answerDraft, Button, WordsForm } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Mark, When } from '../../parts/marks.tsx';
import { onTask, refOf } from '../../room/actions.ts';
import { readDraft } from '../../room/drafts.ts';
import { isFixed } from './step-list.tsx';

/** These have lists of their own. */
const SHOWN_ELSEWHERE = new Set(['Steps', 'Questions', 'Comments']);

export const TaskWords = ({ task }: { task: TaskDetail }) => (
  <Section title="Task" class={task.is_foreign ? 'card edge tone-plain' : undefined}>
    {task.is_foreign && (
      <p class="small muted">
        Written by <bdi>{task.requester}</bdi> in <Remote task={task} />
      </p>
    )}
    {task.task_text === '' ? (
      <p class="muted">It has no words beside its title.</p>
    ) : (
      <Markdown text={task.task_text} />
    )}
  </Section>
);

export const Remote = ({ task: { remote } }: { task: TaskDetail }) =>
  remote === null ? <>its tracker</> : <TrackerLink url={remote.url} of={remote.ref} />;

/** As a link where the address is one of the web. */
function TrackerLink({ url, of }: { url: string | null; of: string }) {
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return <bdi>{of}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      <bdi>{of}</bdi> [{new URL(url).host}]
    </a>
  );
}

export function OtherSections({ task }: { task: TaskDetail }) {
  const shown = task.sections.filter(({ name, text }) => !SHOWN_ELSEWHERE.has(name) && text !== '');
  return shown.map(({ name, text }, at) => (
    <Section key={`${at} ${name}`} title={name === '' ? 'Above' : name}>
      <Markdown text={text} />
    </Section>
  ));
}

export function QuestionList({ task: { id, questions } }: { task: TaskDetail }) {
  // Somebody else may answer while one types: the words stay where they are.
  const isOpen = ({ key, answers }: Question) =>
    answers.length === 0 || readDraft(answerDraft(id ?? '', key));
  const open = questions.filter(isOpen);
  const answered = questions.filter((question) => !isOpen(question));
  if (questions.length === 0) return null;
  return (
    <Section title="Questions" class="questions stack">
      {open.map((question) => (
        <div key={question.key} class="card edge tone-accent stack">
          <Asked question={question} />
          {id && <AnswerForm task={id} question={question.key} about={question.text.slice(0, 200)} />}
        </div>
      ))}
      {answered.length > 0 && (
        <details open={open.length === 0 && answered.length < 3}>
          <summary>{answered.length} answered</summary>
          {answered.map((question) => (
            <div key={question.key} class="card stack">
              <Asked question={question} />
            </div>
          ))}
        </details>
      )}
    </Section>
  );
}

type Question = TaskDetail['questions'][number];

const Asked = ({ question: { author, answers, ...entry } }: { question: Question }) => (
  <>
    <Entry author={`${author.replace(/^agent:/, '')} asks`} entry={entry} />
    {answers.map((answer, index) => (
      <div key={`${answer.at} ${index}`} class="given">
        <Entry author={answer.author ?? 'typed by hand'} entry={answer} />
      </div>
    ))}
  </>
);

const Entry = ({ author, entry }: { author: string; entry: { at: string | null; text: string } }) => (
  <div>
    <p class="small muted">
      <bdi>{author}</bdi> {entry.at}
    </p>
    <Markdown text={entry.text} />
  </div>
);

export function CommentList({ task }: { task: TaskDetail }) {
  const ref = refOf(task);
  return (
    <Section title="Comments" class="comments">
      <ul class="stack">
        {task.comments.map(({ author, role, at, text: said }, index) => (
          <li key={`${at} ${index}`} class="card">
            <p class="small muted">
              <strong>
                <bdi>{author}</bdi>
              </strong>{' '}
              {role && <span class="label">{role}</span>} {at}
            </p>
            <Markdown text={said} />
          </li>
        ))}
      </ul>
      {isFixed(task) || (
        <WordsForm
          draft={`comment ${ref}`}
          id="comment"
          label="New comment"
          placeholder={task.remote === null ? 'Comment' : 'Comment, here and in the tracker'}
          button="Comment"
          send={(text) => onTask(ref, 'The comment is added', 'comment', { text })}
        />
      )}
    </Section>
  );
}

const TONES: Readonly<Record<string, string>> = {
  ...{ merged: 'completed', passed: 'completed', approved: 'completed' },
  ...{ failed: 'failed', changes_requested: 'failed', pending: 'pending' },
};

export function PullView({ task }: { task: TaskDetail }) {
  const { pull_requests: pulls } = task;
  if (pulls.length === 0) return null;
  const open = pulls.filter(({ state }) => state === 'open').length;
  const merge = open > 0 && (
    <Button
      name={open === 1 ? 'Merge it' : `Merge all ${open}`}
      disabled={task.running !== null}
      run={() => onTask(refOf(task), 'The pull request is merged', 'pr', { merge: true })}
    />
  );
  return (
    <Section title={pulls.length === 1 ? 'Pull request' : 'Pull requests'} class="comments" beside={merge}>
      {pulls.map((pull) => (
        <PullCard key={pull.ref} pull={pull} />
      ))}
    </Section>
  );
}

const PullCard = ({ pull }: { pull: TaskDetail['pull_requests'][number] }) => (
  <>
    <p class="wrap">
      <TrackerLink url={pull.url} of={pull.ref} />
      <Mark tone={TONES[pull.state] ?? 'plain'} text={pullWords(pull).join(', ')} />
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
  </>
);
