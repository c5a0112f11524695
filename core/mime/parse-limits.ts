/**
 * Limits on the work of parsing a message and on the size of the result. The raw message is always stored whole. The
 * limits keep the EmailContent below 350 KB for any message: an item of the mail table holds at most 400 KB. Truncated
 * parts can still be read from the raw message.
 */
export const parseLimits = {
  /**
   * Maximum nesting depth of multiparts. A deeper multipart is one part to download. DynamoDB nests 32 levels, and each
   * multipart takes two of them.
   */
  depth: 12,
  /** Parts of a message, multiparts included. Everything after the last one is one part to download. */
  parts: 400,
  /** Octets of one header block that are searched for fields. */
  headerBlock: 1024 * 1024,
  /** Fields of one header block. */
  headerFields: 2000,
  /** Octets of one field's value that are parsed into a form. */
  fieldValue: 256 * 1024,
  /** Octets of the address fields of a message that are parsed, all together. */
  addressFields: 128 * 1024,
  /** Groups within a group of addresses. */
  nestedGroups: 2,
  /** Maximum octets of one field that describes a part, such as Content-Type. */
  contentField: 16 * 1024,
  /** Octets of these fields of all parts of a message. Fields beyond are left out. */
  allContentFields: 1024 * 1024,
  /** Parameters of one structured field. */
  parameters: 200,
  /** Characters of a boundary; RFC 2046 §5.1.1 allows 70. */
  boundary: 250,

  /** Octets of UTF-8 that are kept of a subject. RFC 5322 §2.1.1 limits a line to 998. */
  subject: 4096,
  /** Octets that are kept of a display name. */
  displayName: 512,
  /** Octets that are kept of an address. RFC 5321 §4.5.3.1 allows 64 + 1 + 255. */
  address: 512,
  /** Octets of all addresses of a message. Addresses beyond are left out. */
  allAddresses: 96 * 1024,
  /** Octets of one message id. A longer one is left out. */
  messageId: 998,
  /** Octets of a list of message ids. Ids in the middle of a longer list are left out. */
  messageIdList: 16 * 1024,
  /** Message ids by which a message finds its thread. */
  threadMessageIds: 20,
  /** Octets that are kept of each text of a part (name, Content-Id, Content-Location). */
  partText: 1024,
  /** Octets of all texts of all parts of a message. Texts beyond are left out. */
  allPartTexts: 64 * 1024,
  /** Languages of a part. */
  languages: 8,

  /** Octets of a body part that are decoded for the preview. An HTML part may begin with long style sheets. */
  previewSource: 256 * 1024,
  /** Characters of the preview (RFC 8621 §4.1.4). */
  preview: 256,
} as const;
