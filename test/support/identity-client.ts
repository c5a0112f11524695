import { capability } from '../../contract/jmap/core.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import type { AdminApi } from './admin-api.ts';
import { jmapLambda, tokenOf, type Json } from './jmap-lambda.ts';

/** A mail client of `user_person` that reads and sets the Identities of an account of an admin API. */
export const identityClient = ({ directory, mail }: Pick<AdminApi, 'directory' | 'mail'>, accountId: string) => {
  let ids = 0;
  const clock = () => new Date('2026-11-21T08:00:00Z');
  const { perform } = jmapLambda({
    directory,
    mail,
    clock,
    store: mailStore({ table: mail, clock }),
    objects: memoryObjects(),
    removals: memoryQueue(),
    pushes: memoryQueue(),
    newId: () => `Client${++ids}`,
    log: memoryLog(),
    tokens: { person: tokenOf('user_person') },
  });
  const call = async (name: string, args: object): Promise<Json> => {
    const [[, response] = []] = await perform([[name, { accountId, ...args }, 'c']], { token: 'person', using: [capability.submission] });
    return response!;
  };
  const get = () => call('Identity/get', { ids: null });
  return {
    call,
    /** All Identities. Those that the server created come first. */
    list: async () => ((await get())['list'] as Json[]).toSorted((one, other) => Number(one['mayDelete']) - Number(other['mayDelete'])),
    emails: async () => ((await get())['list'] as Json[]).map(({ email }) => email as string).sort(),
    state: async () => (await get())['state'] as string,
    update: (id: string, patch: object) => call('Identity/set', { update: { [id]: patch } }),
    /** Creates an Identity; returns its id. */
    create: async (properties: object) => (await call('Identity/set', { create: { c: properties } }))['created']['c']['id'] as string,
  };
};
