// What a task says, rendered: the words of its requester in a frame that names them, and the sections beside.
import type { TaskDetail } from '../../api/shapes.ts';
import { Markdown } from '../../parts/markdown.tsx';

/** These have lists of their own. */
const SHOWN_ELSEWHERE = new Set(['Steps', 'Questions', 'Comments']);

export function TaskWords({ task, onEdit }: { task: TaskDetail; onEdit: (() => void) | null }) {
  return (
    <section aria-labelledby="words" class={task.is_foreign ? 'words foreign' : 'words'}>
      <h2 id="words">
        Task
        {onEdit === null ? null : (
          <button type="button" class="quiet" onClick={onEdit}>
            Edit
          </button>
        )}
      </h2>
      {task.is_foreign ? (
        <p class="origin">
          Written by <bdi>{task.requester}</bdi> in <Remote task={task} />
        </p>
      ) : null}
      {task.task_text === '' ? (
        <p class="muted">It has no words beside its title.</p>
      ) : (
        <Markdown text={task.task_text} />
      )}
    </section>
  );
}

/** The issue, as a link where its address is one of the web. */
export function Remote({ task: { remote } }: { task: TaskDetail }) {
  if (remote === null) return <>its tracker</>;
  const { url, ref } = remote;
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return <bdi>{ref}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
      <bdi>{ref}</bdi> [{new URL(url).host}]
    </a>
  );
}

export function OtherSections({ task }: { task: TaskDetail }) {
  const shown = task.sections.filter(({ name, text }) => !SHOWN_ELSEWHERE.has(name) && text !== '');
  return (
    <>
      {shown.map(({ name, text }, at) => (
        <section key={`${at} ${name}`} class="words">
          <h2 dir="auto">{name === '' ? 'Above' : name}</h2>
          <Markdown text={text} />
        </section>
      ))}
    </>
  );
}
