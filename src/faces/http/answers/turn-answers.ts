// What the API answers of turns, as schemas.
import * as z from 'zod';
import { turn } from '../../../tasks/shapes/turn.ts';

const text = z.string();

export const turnsAnswer = z.strictObject({ turns: z.array(turn()) });

export const outputAnswer = z
  .strictObject({
    turn: text,
    state: text,
    reason: text.nullable(),
    offset: z.int(),
    next: z.int().meta({ description: 'the byte to go on from' }),
    size: z.int().meta({ description: 'bytes there are now' }),
    text,
  })
  .meta({ id: 'Output' });
