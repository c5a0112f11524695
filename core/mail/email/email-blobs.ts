import { mailKeys } from '../../../contract/deployment/keys.ts';
import { firstVersion, versionAttribute } from '../../account-log/item-version.ts';
import type { Table, Write } from '../../storage/table.ts';
import { emailIdOf, parseBlobId } from './blob-id.ts';
import { decodeEmailContent, emailItem, emailKey, readEmailContents, type EmailContent } from './email-content.ts';
import { hasEnded } from './recoverable-email.ts';

/** The key of the message that is the blob of an Email. */
export const blobKeyOf = ({ blobId }: EmailContent): string | undefined => {
  const blob = parseBlobId(blobId);
  return blob?.kind === 'message' ? blob.key : undefined;
};

/** Key of the item that records an Email's reference to the blob of another Email. */
const blobReferenceKey = mailKeys.blobReference;

/**
 * The blob's key, if the Email refers to the blob of another Email, as a copy does. A delivered Email and its blob have
 * the same key, so the Email needs no reference.
 */
const foreignBlobKey = (content: EmailContent): string | undefined => {
  const blobKey = blobKeyOf(content);
  return blobKey === undefined || emailIdOf(blobKey) === content.id ? undefined : blobKey;
};

/** The writes of a new Email's content, and of its reference to another Email's blob. */
export const newContentWrites = (accountId: string, content: EmailContent): readonly Write[] => {
  const blobKey = foreignBlobKey(content);
  return [
    { put: emailItem(accountId, content), if: { absent: true } },
    ...(blobKey === undefined ? [] : [{ put: { ...blobReferenceKey(accountId, blobKey, content.id), [versionAttribute]: firstVersion } }]),
  ];
};

/** The write that removes a destroyed Email's reference to another Email's blob. */
export const removedBlobReference = (accountId: string, content: EmailContent): readonly Write[] => {
  const blobKey = foreignBlobKey(content);
  return blobKey === undefined ? [] : [{ delete: blobReferenceKey(accountId, blobKey, content.id) }];
};

/** Finds an Email that refers to the message with this key, such as a copy, except for the delivered Email. */
export const referringEmail = async (table: Table, accountId: string, blobKey: string): Promise<EmailContent | undefined> => {
  const ids = await referringEmailIds(table, accountId, blobKey);
  if (ids.length === 0) return undefined;
  const [first] = (await readEmailContents(table, accountId, ids)).values();
  return first;
};

/** The ids of the Emails that refer to the message with this key, except for the delivered Email. */
export const referringEmailIds = async (table: Table, accountId: string, blobKey: string): Promise<readonly string[]> => {
  const { pk, sk: prefix } = blobReferenceKey(accountId, blobKey, '');
  const references = await table.query({ pk, prefix });
  return references.map(({ sk }) => sk.slice(prefix.length));
};

/** Whether an Email, or a destroyed one that can be restored, refers to the message with this key. */
export const isBlobKept = async (table: Table, accountId: string, blobKey: string, now: Date): Promise<boolean> => {
  const ids = [emailIdOf(blobKey), ...(await referringEmailIds(table, accountId, blobKey))];
  const items = await table.batchGet(ids.map((id) => emailKey(accountId, id)));
  return items.some((item) => decodeEmailContent(item) !== undefined || !hasEnded(item, now));
};

/**
 * Finds an Email that refers to the message with this key. Without one, the blob and its parts no longer exist, even
 * before the object is removed. A delivered Email takes one read.
 */
export const emailOfBlob = async (table: Table, accountId: string, blobKey: string): Promise<EmailContent | undefined> => {
  const ownId = emailIdOf(blobKey);
  return (await readEmailContents(table, accountId, [ownId])).get(ownId) ?? referringEmail(table, accountId, blobKey);
};
