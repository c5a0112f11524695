import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import { asText } from '../../core/mime/header-forms.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';

/** The header field of a copy that names the alias which made it. Only the deployment can write a valid one. */
const markField = 'X-Postrider-Copy';

/** Seconds for which a mark counts. A copy that returns comes within the days for which servers retry. */
const validSeconds = 7 * 86_400;

/** Marks copies of aliases, so that copies of copies end. Senders can neither make marks nor keep a copy from being made. */
export type CopyMarks = {
  /** The field of a copy that the alias makes now. */
  markOf(alias: string): Promise<readonly [name: string, value: string]>;
  /** The aliases whose valid marks the header has, with the values of the fields. */
  validMarks(fields: readonly HeaderField[]): Promise<readonly { readonly alias: string; readonly value: string }[]>;
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
