// What a task says, rendered: the words of its requester in a frame that names them, and the sections beside.
import type { TaskDetail } from '../../api/shapes.ts';
import { Section } from '../../parts/blocks.tsx';
import { Markdown } from '../../parts/markdown.tsx';

/** These have lists of their own. */
const SHOWN_ELSEWHERE = new Set(['Steps', 'Questions', 'Comments']);

export function TaskWords({ task }: { task: TaskDetail }) {
  return (
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
}

export function Remote({ task: { remote } }: { task: TaskDetail }) {
  return remote === null ? <>its tracker</> : <TrackerLink url={remote.url} of={remote.ref} />;
}

/** As a link where the address is one of the web. */
export function TrackerLink({ url, of }: { url: string | null; of: string }) {
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
