import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { identity } from '../../../contract/jmap/identity.ts';
import { identitiesOf, isMadeByServer, type IdentityRecord } from '../../../core/mail/identity-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';

/** All properties of an Identity as a client sees it. */
export const toIdentity = (record: IdentityRecord): JsonObject => {
  const { aliasId: _aliasId, maySend: _maySend, version: _version, ...properties } = record;
  return { ...properties, mayDelete: !isMadeByServer(record) };
};

/** Identity/get (RFC 8621 §6.1). */
export const identityGet: BehaviourOf<typeof identity>['get'] = {
  records: (_args, { view }) => readableRecords(identity, new Map([...identitiesOf(view)].map(([id, record]) => [id, toIdentity(record)]))),
};
