import * as z from 'zod';
import { settlement, settleWish } from '../../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { ref } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const settle = operation({
  name: 'settle',
  summary: 'settle what both sides say differently',
  about:
    'Settles a conflict of a mirrored task: keeps what stands, takes the text that lost, or a text of your own. The field goes upstream as every local change does. The same again changes nothing. Where either text is another by now it is refused, with `current`: the conflict as it stands, null when it was settled otherwise.',
  needs: 'person',
  http: { method: 'post', path: '/api/tasks/{ref}/settle' },
  input: () => z.strictObject({ ref: ref(), ...settleWish() }),
  output: settlement,
  async run({ ports }, { ref: task, ...wish }) {
    const mirrors = await ports.mirrors!();
    try {
      return await mirrors.settle(task, wish);
    } catch (error) {
      if (!isRoomError(error, 'conflict')) throw error;
      const now = mirrors.list().flatMap(({ conflicts }) => conflicts);
      const current = now.find(({ id }) => id === wish.conflict) ?? null;
      const { message, hint } = error;
      throw new RoomError('conflict', message, {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
        more: { current },
      });
    }
  },
});
