/**
 * How much of a hostile message is looked at and kept. The raw message is always whole; these bound the work of reading it and the size of
 * its EmailRecord, which stays below 350 KB whatever was sent (an item of the mail table takes 400 KB). What is cut here can still be read
 * from the raw message.
 */
export const parseLimits = {
  /** Multiparts within multiparts. A deeper one is a part to download. The table nests 32 levels, two of them for each of these. */
  depth: 12,
  /** Parts, multiparts included. Whatever follows the last one is one part to download. */
  parts: 400,
  /** Octets of one header block that are looked at for fields. */
  headerBlock: 1024 * 1024,
  /** Fields of one header block. */
  headerFields: 2000,
  /** Octets of one field's value that are parsed into a form. */
  fieldValue: 256 * 1024,
  /** Characters of a boundary; RFC 2046 §5.1.1 allows 70. */
  boundary: 250,

  /** Octets of UTF-8 kept of a subject; RFC 5322 §2.1.1 has lines of 998. */
  subject: 4096,
  /** Octets kept of a display name, and of an address: 64 + 1 + 255 and some. */
  displayName: 512,
  address: 512,
  /** Octets of all addresses of a message; addresses beyond are left out. */
  allAddresses: 96 * 1024,
  /** Octets of one message id, and of a list of them; the ones in the middle are left out. */
  messageId: 998,
  messageIdList: 16 * 1024,
  /** Message ids by which a thread is looked for. */
  threadMessageIds: 20,
  /** Octets of each text of a part (name, Content-Id, Content-Location), and of all of them in a message; those beyond are left out. */
  partText: 1024,
  allPartTexts: 64 * 1024,
  /** Languages of a part. */
  languages: 8,

  /** Octets of a body part that are read for the preview: style sheets come before the text. */
  previewSource: 256 * 1024,
  /** Characters (RFC 8621 §4.1.4). */
  preview: 256,
} as const;
