// Asks `emulate`'s Linear, with the credentials of one request.
import { inputError } from '../linear-server/answer-errors.ts';

export type Call = <T>(query: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;

interface Answer<T> {
  data: T;
  errors?: { message: string }[];
}

/** Its refusals have a message and nothing else; they come out as Linear's of bad input. */
export function callAs(endpoint: string, authorization: string): Call {
  return async <T>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as Answer<T>;
    if (errors?.[0]) throw inputError(errors[0].message);
    return data;
  };
}
