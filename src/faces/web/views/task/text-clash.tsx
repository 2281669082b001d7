// Two texts for one task, side by side, and a button for each.
import type { ComponentChildren } from 'preact';

interface Words {
  title: string;
  body: string;
}

export function TextClash({
  theirs,
  mine,
  onTakeTheirs,
  onTakeMine,
  onEdit,
}: {
  theirs: Words;
  mine: Words;
  onTakeTheirs: () => void;
  onTakeMine: () => void;
  onEdit: () => void;
}) {
  return (
    <section class="clash editor" aria-labelledby="clash">
      <h2 id="clash">Somebody changed it meanwhile</h2>
      <p>Nothing is saved yet. Which text is to stand?</p>
      <div class="both">
        <Side name="In the file now" words={theirs}>
          <button type="button" onClick={onTakeTheirs}>
            Keep this one
          </button>
        </Side>
        <Side name="Yours" words={mine}>
          <button type="button" class="primary" onClick={onTakeMine}>
            Save yours over it
          </button>
          <button type="button" onClick={onEdit}>
            Go on editing yours
          </button>
        </Side>
      </div>
    </section>
  );
}

function Side({ name, words, children }: { name: string; words: Words; children: ComponentChildren }) {
  return (
    <div class="side-text">
      <h3>{name}</h3>
      <p class="side-title" dir="auto">
        {words.title}
      </p>
      <pre dir="auto" role="region" tabIndex={0} aria-label={`${name}: text`}>
        {words.body}
      </pre>
      <div class="actions">{children}</div>
    </div>
  );
}
