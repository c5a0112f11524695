import { capability } from './core.ts';
import { recordType } from './record.ts';

/** The id of the only VacationResponse of an account (RFC 8621 §8). */
export const vacationResponseId = 'singleton';

/** VacationResponse (RFC 8621 §8). Every account has one, with these defaults until a client changes them. */
export const vacationResponse = recordType({
  name: 'VacationResponse',
  capability: capability.vacationResponse,
  methods: ['get', 'set'],
  isSingleton: true,
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    isEnabled: { type: 'Boolean', default: false },
    fromDate: { type: { orNull: 'UTCDate' }, default: null },
    toDate: { type: { orNull: 'UTCDate' }, default: null },
    subject: { type: { orNull: 'String' }, default: null },
    textBody: { type: { orNull: 'String' }, default: null },
    htmlBody: { type: { orNull: 'String' }, default: null },
  },
});

/** Maximum sizes of a VacationResponse in octets of UTF-8. The RFC has no properties for them. */
export const vacationResponseLimits = {
  maxSizeSubject: 255,
  /** Maximum octets of the text body, and of the HTML body. */
  maxSizeBody: 65_536,
} as const;

/** Rules of the messages that a VacationResponse sends (docs/specification.md#vacationresponse). */
export const vacationMessageRules = {
  /**
   * Minimum days between two responses with the same content to one sender (RFC 5230 §4.1). A message that is delivered
   * later than this time after SES received it gets no response.
   */
  intervalDays: 7,
  /** Maximum responses of an account on a day in UTC. Further senders get none. */
  maxResponsesPerDay: 1000,
  /** Maximum UTF-16 units of the original subject in a response. The rest is left out. */
  maxOriginalSubject: 200,
  /** Maximum Message-IDs in References: the first one, and the last ones. */
  maxReferences: 20,
} as const;
