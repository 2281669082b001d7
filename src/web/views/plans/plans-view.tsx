// The plans: documents whose steps become tasks, how far those are, and each plan with the button that makes it final.
import { addressOf } from '../../address.ts';
import type { Answer } from '../../api/calls.ts';
import { Answered, CardRow, Empty, Head, InvalidFiles, Section, StepDetails } from '../../parts/blocks.tsx';
import { Button, ButtonLink } from '../../parts/fields.tsx';
import { Markdown, withoutFrontMatter } from '../../parts/markdown.tsx';
import { Mark, StepMeter, TaskLink } from '../../parts/marks.tsx';
import { act } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';

export function PlansView() {
  const query = useQuery('listPlans', {});
  return (
    <div class="stack far">
      <Head title="Plans" />
      <Answered query={query}>
        {({ plans, invalid }) => (
          <>
            <InvalidFiles files={invalid} />
            {plans.length === 0 && (
              <Empty title="No plan yet">
                A plan is a document in artifacts/ with steps; once it is final, each step becomes a task.
              </Empty>
            )}
            <ul class="stack">
              {plans.map((plan) => (
                <PlanRow key={plan.path} plan={plan} />
              ))}
            </ul>
          </>
        )}
      </Answered>
    </div>
  );
}

function PlanRow({ plan }: { plan: Answer<'listPlans'>['plans'][number] }) {
  const { name, title, stage, steps, tasks, problem, created_by: by } = plan;
  const author = by === null ? '' : ` · by ${by.replace(/^agent:/, '')}`;
  return (
    <CardRow
      href={addressOf(['plan', name])}
      name={title ?? name}
      facts={
        <>
          <StageMark stage={stage} /> <bdi>{`${steps} ${steps === 1 ? 'step' : 'steps'}${author}`}</bdi>
        </>
      }
      side={tasks.total === 0 ? 'no tasks yet' : <StepMeter steps={tasks} />}
    >
      {problem && <span class="note tone-failed">{problem}</span>}
    </CardRow>
  );
}

const StageMark = ({ stage }: { stage: string }) => (
  <Mark tone={stage === 'final' ? 'completed' : 'plain'} text={stage} />
);

type PlanDetail = Answer<'showPlan'>;

const STEPS = /^## Steps[^\n]*\n[\s\S]*?(?=^## |$(?![\s\S]))/m;

export function PlanView({ path: [name = ''] }: { path: readonly string[] }) {
  const query = useQuery('showPlan', { name });
  return <Answered query={query}>{(plan) => <ShownPlan plan={plan} />}</Answered>;
}

function ShownPlan({ plan }: { plan: PlanDetail }) {
  const words = withoutFrontMatter(plan.text).replace(STEPS, '').trim();
  return (
    <article class="stack far">
      <PlanHead plan={plan} />
      {plan.problem && <p class="note tone-failed">{plan.problem}</p>}
      {words === '' || (
        <section aria-label="Its text">
          <Markdown text={words} />
        </section>
      )}
      <Steps plan={plan} />
      <code class="muted">{plan.path}</code>
    </article>
  );
}

function PlanHead({ plan }: { plan: PlanDetail }) {
  const { name, title, stage, tasks, owner, sprint, scope } = plan;
  const facts = Object.entries({ for: owner, sprint, scope }).filter(([, value]) => value !== null);
  const setStage = (to: 'draft' | 'final', said: string) => act(said, 'setPlanStage', { name, stage: to });
  return (
    <Head title={title ?? name}>
      <p class="wrap">
        <StageMark stage={stage} />
        <StepMeter steps={tasks} />
        {facts.map(([word, value]) => (
          <span key={word}>
            {word} <bdi>{value}</bdi>
          </span>
        ))}
      </p>
      <div class="wrap">
        {stage === 'final' ? (
          <Button name="Back to draft" run={() => setStage('draft', 'The plan is a draft again')} />
        ) : (
          <Button
            name="Create its tasks"
            kind="primary"
            run={() => setStage('final', 'The plan is final: its steps become tasks')}
          />
        )}
        {tasks.total > 0 && <ButtonLink name="Its tasks" href={addressOf(['list'], { artifact: name })} />}
      </div>
    </Head>
  );
}

const Steps = ({ plan: { step_list: steps } }: { plan: PlanDetail }) => (
  <Section title="Steps">
    {steps.length === 0 && <p class="muted">It has none: nothing can be made of it.</p>}
    <ol class="plan-steps">
      {steps.map(({ title, details, done, task, status }, index) => (
        <li key={`${index} ${title}`}>
          {task === null ? (
            <bdi class={done ? 'ticked' : ''}>{title}</bdi>
          ) : (
            <TaskLink of={task} name={title} status={status} />
          )}
          <StepDetails text={details} />
        </li>
      ))}
    </ol>
  </Section>
);
