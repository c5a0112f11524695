import { remainingTime } from '../runtime/invocation.ts';
import { withinTime } from '../runtime/time-limit.ts';

/**
 * Limits on the work of parsing a message and on the size of the result. The raw message is always stored whole. The
 * limits keep the EmailContent below 350 KB for any message, because an item of the mail table holds at most 400 KB.
 * Truncated parts can still be read from the raw message.
 */
export const parseLimits = {
  /** Maximum milliseconds for a small message, which takes about one. Only a fault of the parser takes so long. */
  milliseconds: 4000,
  /** Further milliseconds for each megabyte, which takes at most 120. */
  millisecondsOfMegabyte: 1000,
  /** Maximum share of the invocation's remaining time for one message. */
  shareOfRemainingTime: 1 / 4,
  /** Maximum milliseconds for each field of the header of a message that took too long. */
  fieldMilliseconds: 200,
  /**
   * Maximum nesting depth of multiparts, each of which takes two of DynamoDB's 32 levels. A multipart at a deeper level
   * is a file.
   */
  depth: 12,
  /** Maximum parts of a message, including multiparts. The rest of the message becomes one more part, for download. */
  parts: 400,
  /** Maximum octets of one header block that are searched for fields. */
  headerBlock: 1024 * 1024,
  /** Maximum fields of one header block. */
  headerFields: 2000,
  /** Maximum octets of one field's value that are parsed into a form. */
  fieldValue: 256 * 1024,
  /** Maximum octets of all address fields of a message that are parsed. */
  addressFields: 256 * 1024,
  /** Maximum octets of one field that describes a part, such as Content-Type. */
  contentField: 16 * 1024,
  /** Maximum octets of all fields that describe the parts of a message. Further fields are left out. */
  allContentFields: 1024 * 1024,
  /** Maximum parameters of one structured field. */
  parameters: 200,
  /** Maximum characters of a boundary; RFC 2046 §5.1.1 allows 70. */
  boundary: 250,

  /** Maximum stored octets of a subject in UTF-8. RFC 5322 §2.1.1 limits a line to 998. */
  subject: 4096,
  /** Maximum stored octets of a display name. */
  displayName: 512,
  /** Maximum stored octets of an address. RFC 5321 §4.5.3.1 allows 64 + 1 + 255. A longer address is left out. */
  address: 512,
  /**
   * Maximum octets of all addresses of a message. Further addresses are left out of the longest field. 1,100 addresses with
   * long names fit.
   */
  allAddresses: 144 * 1024,
  /** Maximum octets of one message id. A longer id is left out. */
  messageId: 998,
  /** Maximum octets of a list of message ids. Ids in the middle of a longer list are left out. */
  messageIdList: 16 * 1024,
  /** Maximum message ids by which a message finds its Thread. */
  threadMessageIds: 20,
  /** Maximum stored octets of each text of a part (name, Content-Id, Content-Location). */
  partText: 1024,
  /** Maximum octets of all texts of all parts of a message. Further texts are left out. */
  allPartTexts: 64 * 1024,
  /** Maximum languages of a part. */
  languages: 8,

  /** Maximum octets of a body part that are decoded for the preview. An HTML part may begin with long style sheets. */
  previewSource: 256 * 1024,
  /** Maximum characters of the preview (RFC 8621 §4.1.4). */
  preview: 256,
} as const;

/**
 * Reads foreign text, in the share of time that one message has: more than any needs, and little enough that the others of its
 * batch and the caller's own work keep most of what remains of the invocation.
 * @param octets the size of the text.
 * @throws TimeLimitExceeded, and what `read` throws.
 */
export const withinParseTime = <T>(octets: number, read: () => T): T => {
  const { milliseconds, millisecondsOfMegabyte, shareOfRemainingTime } = parseLimits;
  return withinTime(Math.min(milliseconds + (millisecondsOfMegabyte * octets) / 1e6, remainingTime(Infinity) * shareOfRemainingTime), read);
};
