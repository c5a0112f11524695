import type { ChangeRequestEventKind, ChangeRequestStatus } from '../../../contract/admin/change-requests.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';

/**
 * The events of a request:
 * - `submitted`: the provider received it
 * - `reviewing`: the provider reviews it; `case-opened`: in a support case
 * - `needs-information`: the provider or the worker needs information from an admin; `information-given`: an admin gave
 *   it
 * - `approved`: the provider granted it; `fulfilled`: the requested limit is in force already
 * - `rejected`: the provider rejected it; `failed`: it can't be completed; `canceled`: an admin canceled it
 * - `reached-provider`: it was canceled during its submission, but the provider received it
 */
export type ChangeRequestOccurrence =
  | 'submitted'
  | 'reviewing'
  | 'case-opened'
  | 'needs-information'
  | 'information-given'
  | 'approved'
  | 'fulfilled'
  | 'rejected'
  | 'failed'
  | 'canceled'
  | 'reached-provider';

/** The status after an occurrence, and the kinds of events that are added to the history, in this order. */
type ChangeRequestTransition = { readonly to: ChangeRequestStatus; readonly kinds: readonly ChangeRequestEventKind[] };

type Transitions = { readonly [Occurrence in ChangeRequestOccurrence]?: ChangeRequestTransition };

const submitted: ChangeRequestTransition = { to: 'SUBMITTED', kinds: ['SUBMITTED'] };
const reviewing: ChangeRequestTransition = { to: 'IN_PROGRESS', kinds: ['PROVIDER_UPDATED'] };
const caseOpened: ChangeRequestTransition = { to: 'WAITING_ON_PROVIDER', kinds: ['SUPPORT_CASE_OPENED'] };
const needsInformation: ChangeRequestTransition = { to: 'ACTION_REQUIRED', kinds: ['ACTION_REQUIRED'] };

/** Transitions to a final status, which every open status has. */
const endings: Transitions = {
  fulfilled: { to: 'SUCCEEDED', kinds: ['SUCCEEDED'] },
  rejected: { to: 'REJECTED', kinds: ['REJECTED'] },
  failed: { to: 'FAILED', kinds: ['FAILED'] },
  canceled: { to: 'CANCELED', kinds: ['CANCELED'] },
};
/** The provider's approval of a submitted request. */
const granted: Transitions = { approved: { to: 'SUCCEEDED', kinds: ['APPROVED', 'SUCCEEDED'] } };

/**
 * The transitions by status and occurrence (docs/specification.md#change-requests). Other occurrences do not change the
 * status.
 */
const transitions: { readonly [Status in ChangeRequestStatus]: Transitions } = {
  ACCEPTED: { ...endings, submitted, 'needs-information': needsInformation },
  SUBMITTED: { ...endings, ...granted, submitted, reviewing, 'case-opened': caseOpened, 'needs-information': needsInformation },
  IN_PROGRESS: { ...endings, ...granted, submitted, 'case-opened': caseOpened, 'needs-information': needsInformation },
  WAITING_ON_PROVIDER: { ...endings, ...granted, submitted, reviewing, 'needs-information': needsInformation },
  ACTION_REQUIRED: {
    ...endings,
    ...granted,
    submitted,
    reviewing,
    'case-opened': caseOpened,
    'information-given': { to: 'SUBMITTED', kinds: ['USER_PROVIDED_INFO'] },
  },
  SUCCEEDED: {},
  REJECTED: {},
  FAILED: {},
  CANCELED: { 'reached-provider': { to: 'CANCELED', kinds: ['PROVIDER_UPDATED'] } },
};

export const changeRequestStatuses = keysOf(transitions);

/** The transition of an occurrence in a status. Undefined if there is none. */
export const transitionOf = (status: ChangeRequestStatus, occurrence: ChangeRequestOccurrence): ChangeRequestTransition | undefined =>
  transitions[status][occurrence];

/** Whether a request with this status is open, so that an admin may cancel it. */
export const isOpen = (status: ChangeRequestStatus): boolean => transitionOf(status, 'canceled') !== undefined;

export const openStatuses = changeRequestStatuses.filter(isOpen);
