import type { Table, Write } from '../../storage/table.ts';
import { emailIdOf, parseBlobId } from './blob-id.ts';
import { firstVersion, versionAttribute } from '../../account-log/item-version.ts';
import { partitionOf } from '../../account-log/keys.ts';
import { emailItem, emailPartitions, readEmailContents, type EmailContent } from './email-content.ts';

/** The key of the message that the blob of an Email has. */
export const blobKeyOf = ({ blobId }: EmailContent): string | undefined => {
  const blob = parseBlobId(blobId);
  return blob?.kind === 'message' ? blob.key : undefined;
};

const referencePrefix = (blobKey: string) => `${blobKey}#`;

/** Key of the item by which an Email refers to a blob that is not its own. */
const blobReferenceKey = (accountId: string, blobKey: string, emailId: string) =>
  ({ pk: partitionOf(accountId, emailPartitions.blob), sk: `${referencePrefix(blobKey)}${emailId}` });

/**
 * The reference of an Email to a blob that is not its own, as of a copy. A delivered Email and its blob have the same
 * key, so it needs no reference.
 */
const foreignBlobKey = (record: EmailContent): string | undefined => {
  const blobKey = blobKeyOf(record);
  return blobKey === undefined || emailIdOf(blobKey) === record.id ? undefined : blobKey;
};

/** The writes of a new Email's record, and of its reference to another Email's blob. */
export const newRecordWrites = (accountId: string, record: EmailContent): readonly Write[] => {
  const blobKey = foreignBlobKey(record);
  return [
    { put: emailItem(accountId, record), if: { absent: true } },
    ...blobKey === undefined ? [] : [{ put: { ...blobReferenceKey(accountId, blobKey, record.id), [versionAttribute]: firstVersion } }],
  ];
};

/** The write that removes a destroyed Email's reference to another Email's blob. */
export const removedBlobReference = (accountId: string, record: EmailContent): readonly Write[] => {
  const blobKey = foreignBlobKey(record);
  return blobKey === undefined ? [] : [{ delete: blobReferenceKey(accountId, blobKey, record.id) }];
};

/** An Email, other than the delivered one, that refers to the message with this key, such as a copy. */
export const referringEmail = async (table: Table, accountId: string, blobKey: string): Promise<EmailContent | undefined> => {
  const ids = await referringEmailIds(table, accountId, blobKey);
  if (ids.length === 0) return undefined;
  const [first] = (await readEmailContents(table, accountId, ids)).values();
  return first;
};

/** The ids of the Emails, other than the delivered one, that refer to the message with this key. */
export const referringEmailIds = async (table: Table, accountId: string, blobKey: string): Promise<readonly string[]> => {
  const references = await table.query({ pk: partitionOf(accountId, emailPartitions.blob), prefix: referencePrefix(blobKey) });
  return references.map(({ sk }) => sk.slice(referencePrefix(blobKey).length));
};

/**
 * An Email that refers to the message with this key. Without one, the blob and its parts do not exist any more, even
 * before the object is removed. It is one read for a delivered Email.
 */
export const emailOfBlob = async (table: Table, accountId: string, blobKey: string): Promise<EmailContent | undefined> => {
  const ownId = emailIdOf(blobKey);
  return (await readEmailContents(table, accountId, [ownId])).get(ownId) ?? referringEmail(table, accountId, blobKey);
};
