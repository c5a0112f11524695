import type { ChangeRequestEventKind, ChangeRequestStatus } from '../../contract/admin/change-requests.ts';

/**
 * What can happen to a request:
 * - `submitted`: the provider has it
 * - `reviewing`: the provider says that somebody there looks at it; `case-opened`: in a support case
 * - `needs-information`: the provider, or we, can't go on without the admins; `information-given`: they said what was missing
 * - `approved`: the provider granted it; `fulfilled`: what was wanted is in force already
 * - `rejected`: the provider refused it for good; `failed`: it can't be brought to an end; `canceled`: an admin does not want it any more
 * - `reached-provider`: it was canceled while it was on its way to the provider, who does not take it back
 */
export type ChangeRequestOccurrence =
  | 'submitted' | 'reviewing' | 'case-opened' | 'needs-information' | 'information-given'
  | 'approved' | 'fulfilled' | 'rejected' | 'failed' | 'canceled' | 'reached-provider';

/** The status after an occurrence, and the kinds of the events that the history gets, in this order. */
export type ChangeRequestTransition = { readonly to: ChangeRequestStatus; readonly kinds: readonly ChangeRequestEventKind[] };

type Moves = { readonly [Occurrence in ChangeRequestOccurrence]?: ChangeRequestTransition };

const submitted: ChangeRequestTransition = { to: 'SUBMITTED', kinds: ['SUBMITTED'] };
const reviewing: ChangeRequestTransition = { to: 'IN_PROGRESS', kinds: ['PROVIDER_UPDATED'] };
const caseOpened: ChangeRequestTransition = { to: 'WAITING_ON_PROVIDER', kinds: ['SUPPORT_CASE_OPENED'] };
const needsInformation: ChangeRequestTransition = { to: 'ACTION_REQUIRED', kinds: ['ACTION_REQUIRED'] };

/** Ways out of every open status. */
const ends: Moves = {
  fulfilled: { to: 'SUCCEEDED', kinds: ['SUCCEEDED'] },
  rejected: { to: 'REJECTED', kinds: ['REJECTED'] },
  failed: { to: 'FAILED', kinds: ['FAILED'] },
  canceled: { to: 'CANCELED', kinds: ['CANCELED'] },
};
/** The provider's yes to what it has. */
const granted: Moves = { approved: { to: 'SUCCEEDED', kinds: ['APPROVED', 'SUCCEEDED'] } };

/** The state machine (docs/specification.md#change-requests): status × occurrence → move. What is not in it does not happen. */
const table: { readonly [Status in ChangeRequestStatus]: Moves } = {
  ACCEPTED: { ...ends, submitted, 'needs-information': needsInformation },
  SUBMITTED: { ...ends, ...granted, submitted, reviewing, 'case-opened': caseOpened, 'needs-information': needsInformation },
  IN_PROGRESS: { ...ends, ...granted, submitted, 'case-opened': caseOpened, 'needs-information': needsInformation },
  WAITING_ON_PROVIDER: { ...ends, ...granted, submitted, reviewing, 'needs-information': needsInformation },
  ACTION_REQUIRED: {
    ...ends, ...granted, submitted, reviewing, 'case-opened': caseOpened,
    'information-given': { to: 'SUBMITTED', kinds: ['USER_PROVIDED_INFO'] },
  },
  SUCCEEDED: {},
  REJECTED: {},
  FAILED: {},
  CANCELED: { 'reached-provider': { to: 'CANCELED', kinds: ['PROVIDER_UPDATED'] } },
};

export const changeRequestStatuses = Object.keys(table) as ChangeRequestStatus[];

/** Where an occurrence leads from a status; undefined when it means nothing there. */
export const transitionOf = (status: ChangeRequestStatus, occurrence: ChangeRequestOccurrence): ChangeRequestTransition | undefined => table[status][occurrence];

/** Whether the request is not over: an admin may cancel it. */
export const isOpen = (status: ChangeRequestStatus): boolean => transitionOf(status, 'canceled') !== undefined;

export const openStatuses = changeRequestStatuses.filter(isOpen);
