import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Account } from '../sending/account.ts';
import { bodyOf, type ApiRequest, type Operation } from './operation.ts';

const detailsBody = z.object({
  MailType: z.enum(['MARKETING', 'TRANSACTIONAL']),
  WebsiteURL: z.string().min(1).max(1000),
  ContactLanguage: z.enum(['EN', 'JA']).default('EN'),
  UseCaseDescription: z.string().max(5000).optional(),
  AdditionalContactEmailAddresses: z.array(z.string()).min(1).max(4).optional(),
  ProductionAccessEnabled: z.boolean().optional(),
});

const described = (account: Account) => {
  const { productionAccess, sendingEnabled, suppressedReasons, details } = account.state;
  const { perDay, perSecond } = account.quota();
  return {
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: 'HEALTHY',
    ProductionAccessEnabled: productionAccess,
    SendQuota: { Max24HourSend: perDay, MaxSendRate: perSecond, SentLast24Hours: account.sentLastDay(new Date()) },
    SendingEnabled: sendingEnabled,
    SuppressionAttributes: { SuppressedReasons: suppressedReasons },
    ...(details === undefined ? {} : { Details: details }),
  };
};

/** A request for production access is granted at once; one that says no leaves the account in the SES sandbox. */
const putDetails = (account: Account) => async (request: ApiRequest) => {
  const { ProductionAccessEnabled, ...details } = bodyOf(detailsBody, request);
  await account.change((state) => {
    state.details = { ...details, ReviewDetails: { Status: 'GRANTED', CaseId: randomUUID() } };
    if (ProductionAccessEnabled !== undefined) state.productionAccess = ProductionAccessEnabled;
  });
  return {};
};

/** The operations on the account as a whole. */
export const accountOperations = (account: Account): Operation[] => [
  { method: 'GET', path: '/account', run: async () => described(account) },
  { method: 'POST', path: '/account/details', run: putDetails(account) },
  {
    method: 'PUT', path: '/account/suppression',
    async run(request) {
      const { SuppressedReasons } = bodyOf(z.object({ SuppressedReasons: z.array(z.enum(['BOUNCE', 'COMPLAINT'])).default([]) }), request);
      await account.change((state) => { state.suppressedReasons = [...new Set(SuppressedReasons)]; });
      return {};
    },
  },
  {
    method: 'PUT', path: '/account/sending',
    async run(request) {
      const { SendingEnabled } = bodyOf(z.object({ SendingEnabled: z.boolean().default(false) }), request);
      await account.change((state) => { state.sendingEnabled = SendingEnabled; });
      return {};
    },
  },
];
