// How a tool of a model's own is written down: the shape of its input, checked before it runs, and whatever goes wrong with
// files as an answer. A model reads the answer and tries something else; nothing it asks for can end its turn.
import * as z from 'zod';
import type { AgentTool } from '../runner.ts';
import { Unreachable } from './workplace.ts';

export const text = (about: string) => z.string('is a text').meta({ description: about });
export const number = (about: string) => z.number('is a number').meta({ description: about });

export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  run: (input: z.infer<z.ZodObject<Shape>>) => Promise<string>,
): AgentTool {
  const schema = z.strictObject(shape);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema);
  const refusal = (why: string) => ({ text: `${name}: ${why}`, isError: true });
  return {
    ...{ name, description, inputSchema },
    async run(given) {
      const parsed = schema.safeParse(given);
      if (!parsed.success) return refusal(faultOf(parsed.error, Object.keys(shape)));
      try {
        return { text: await run(parsed.data as z.infer<z.ZodObject<Shape>>) };
      } catch (error) {
        const isTheirs =
          error instanceof Unreachable || typeof (error as NodeJS.ErrnoException).code === 'string';
        if (!isTheirs) throw error;
        return refusal((error as Error).message);
      }
    },
  };
}

function faultOf({ issues }: z.ZodError, known: readonly string[]): string {
  const odd = issues.find((issue) => issue.code === 'unrecognized_keys')?.keys[0];
  if (odd !== undefined) return `there is no ${JSON.stringify(odd)}; known: ${known.join(', ')}`;
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return path.length === 0 ? 'its input is an object' : `${path.join('.')} ${message}`;
}
