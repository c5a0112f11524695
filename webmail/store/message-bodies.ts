import type { CallMethod } from '../jmap/requests.ts';
import type { EmailBody, GetResponse, Id } from '../jmap/types.ts';
import { bodyProperties, partProperties } from './read-properties.ts';

/** Bodies that are kept. The oldest are read again when they are opened. */
const maxBodies = 200;

/** Maximum octets of a body that are read. What is longer is cut, and the message is saved whole as a file. */
const maxBodyValueBytes = 4_000_000;

/** The bodies of messages: each is read once, also when several parts of the page ask for it at the same time. */
export type MessageBodies = {
  get(id: Id): EmailBody | undefined;
  /** Reads the bodies that are not there. */
  load(ids: readonly Id[]): Promise<void>;
  delete(id: Id): void;
};

export const createMessageBodies = (call: CallMethod, changed: () => void): MessageBodies => {
  const read = async (ids: readonly Id[]): Promise<readonly EmailBody[]> => {
    const values = { fetchTextBodyValues: true, fetchHTMLBodyValues: true, maxBodyValueBytes };
    return (await call<GetResponse<EmailBody>>('Email/get', { ids, properties: bodyProperties, bodyProperties: partProperties, ...values }).result).list;
  };
  const bodies = new Map<Id, EmailBody>();
  const loading = new Map<Id, Promise<void>>();

  const loadMissing = async (ids: readonly Id[]): Promise<void> => {
    try {
      for (const body of await read(ids)) bodies.set(body.id, body);
      for (const id of bodies.keys()) {
        if (bodies.size <= maxBodies || ids.includes(id)) break;
        bodies.delete(id);
      }
      changed();
    } finally {
      for (const id of ids) loading.delete(id);
    }
  };

  return {
    get: (id) => bodies.get(id),
    async load(ids) {
      const missing = ids.filter((id) => !bodies.has(id) && !loading.has(id));
      if (missing.length > 0) {
        const loaded = loadMissing(missing);
        for (const id of missing) loading.set(id, loaded);
      }
      await Promise.all(ids.flatMap((id) => loading.get(id) ?? []));
    },
    delete: (id) => bodies.delete(id),
  };
};
