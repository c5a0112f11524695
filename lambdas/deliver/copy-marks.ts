import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import { asText } from '../../core/mime/header-forms.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';

/** The header field of a message that names the alias, group or account that sent it on. Only the deployment can write a valid one. */
const markField = 'X-Postrider-Copy';

/** Seconds for which a mark counts. A copy that returns comes within the days for which servers retry. */
const validSeconds = 7 * 86_400;

/** Maximum marks of a message that is sent on. */
const maxMarks = 10;

/** Seconds for which it is known that a message was sent on: longer than it may be in the queue and its dead letters. */
export const sentOnMemorySeconds = 30 * 86_400;

/** A header field with a mark. */
type MarkField = readonly [name: string, value: string];

/** The valid marks of a message: the aliases, groups and accounts that have sent it on, with the values of the fields. */
export type Marks = readonly { readonly alias: string; readonly value: string }[];

/** Whether one of these has sent the message on already, or too many others have. */
export const isLoop = (marks: Marks, ...senders: readonly string[]): boolean => marks.length >= maxMarks || marks.some(({ alias }) => senders.includes(alias));

/** The fields of a message that is sent on: the marks that it had, and the new ones. */
export const withMarks = (earlier: Marks, own: readonly MarkField[]): readonly MarkField[] => [
  ...earlier.map(({ value }) => [markField, value] as const),
  ...own,
];

/**
 * Marks what aliases, groups and accounts send on to the outside, so that loops end. Senders can neither make marks nor keep a
 * message from being sent on.
 */
export type CopyMarks = {
  /** The field of a message that the alias, group or account sends on now. */
  markOf(alias: string): Promise<MarkField>;
  validMarks(fields: readonly HeaderField[]): Promise<Marks>;
};

export const copyMarks = (secret: () => Promise<string>, clock: Clock): CopyMarks => {
  const macOf = async (alias: string, time: string): Promise<Buffer> =>
    createHmac('sha256', await secret())
      .update(`copy ${alias} ${time}`)
      .digest();
  return {
    async markOf(alias) {
      const time = String(secondsNow(clock));
      return [markField, `${alias}; t=${time}; mac=${(await macOf(alias, time)).toString('hex')}`];
    },
    async validMarks(fields) {
      const marks = fields
        .filter(({ name }) => name.toLowerCase() === markField.toLowerCase())
        .flatMap((field) => {
          const value = asText(field).trim();
          const [, alias, time, mac] = /^([^\s;]{3,254}); t=(\d{1,12}); mac=([0-9a-f]{64})$/.exec(value) ?? [];
          return alias === undefined ? [] : [{ alias, time: time!, mac: Buffer.from(mac!, 'hex'), value }];
        });
      const isValid = await Promise.all(
        marks.map(async ({ alias, time, mac }) => Number(time) + validSeconds > secondsNow(clock) && timingSafeEqual(mac, await macOf(alias, time))),
      );
      return marks.filter((_, index) => isValid[index]).map(({ alias, value }) => ({ alias, value }));
    },
  };
};
