import { SpaceBetween } from '@cloudscape-design/components';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useAdminQuery } from '../../../api/admin-api.tsx';
import type { PageDefinition } from '../../../page/page-definition.ts';
import { QueryView } from '../../../parts/view/page.tsx';
import { domainWords } from '../../../words/pages/domains.ts';
import { plannedRecords, type Domain } from '../domain-records.ts';
import { DomainSettings } from '../domain-settings.tsx';
import { DomainStatus, LastLook, useDomain, type DomainQuery } from '../domain-status.tsx';
import { RecordsList } from '../records-list.tsx';
import { RoleMailUnread } from '../role-mail.tsx';
import { useApplyRecords, DnsProvider, type DnsAccess } from './dns-provider.tsx';
import { nextStep, setupPath, setupSteps, type SetupStep } from './set-up-step.ts';
import { SetupWizard, type SetupWizardProps } from './setup-wizard.tsx';
import { TestMail } from './test-mail.tsx';

const { setup: texts } = domainWords;

export const page: PageDefinition = {
  path: '/domains/:domainId/set-up',
  title: domainWords.setup.title,
  parent: '/domains',
  methods: {
    domains: ['GetDomain', 'CheckDNSProvider', 'ApplyDomainRecords', 'SendTestEmail', 'UpdateDomain'],
    setup: ['GetSetupTestStatus'],
    accounts: ['CreateAccount'],
  },
};

type StepProps = {
  readonly domain: Domain;
  readonly query: DomainQuery;
  readonly wizard: Pick<SetupWizardProps, 'onStep' | 'onLeave'> & { readonly onStep: (step: SetupStep) => void };
};

const NameStep = ({ domain, wizard }: StepProps) => (
  <SetupWizard {...wizard} step="name" description={texts.named(domain.domain)} primary={{ text: texts.next, onClick: () => wizard.onStep('records') }}>
    <DomainSettings domain={domain} />
  </SetupWizard>
);

/** The records, applied by one button where Route 53 has the zone. */
const RecordsStep = ({ domain, query, wizard, access }: StepProps & { readonly access: DnsAccess }) => {
  const { run, isPending, error } = useApplyRecords(domain.id);
  const goOn = (): void => wizard.onStep('check');
  const { written, conflicts } = plannedRecords(domain);
  const hasChanges = written.length > 0 || conflicts.length > 0;
  const canApply = access.has_access && written.length > 0;
  const apply = async (): Promise<void> => {
    if (await run()) goOn();
    else await query.refetch();
  };
  return (
    <SetupWizard
      {...wizard}
      step="records"
      description={texts.recordsText(domain.domain)}
      primary={
        canApply ? { text: domainWords.provider.apply, onClick: () => void apply(), isPending } : { text: hasChanges ? texts.done : texts.next, onClick: goOn }
      }
      secondary={canApply ? { text: texts.skip, onClick: goOn } : undefined}
    >
      <SpaceBetween size="l">
        <DnsProvider domain={domain} access={access} error={error} />
        <RecordsList query={query} hasPlan={canApply} />
      </SpaceBetween>
    </SetupWizard>
  );
};

const CheckStep = ({ domain, query, wizard }: StepProps) => (
  <SetupWizard {...wizard} step="check" description={texts.checkText} primary={{ text: texts.next, onClick: () => wizard.onStep('test') }}>
    <SpaceBetween size="l">
      <DomainStatus domain={domain} />
      <RoleMailUnread domain={domain} />
      <LastLook query={query} />
      <RecordsList query={query} />
    </SpaceBetween>
  </SetupWizard>
);

const TestStep = ({ domain, wizard }: StepProps) => (
  <SetupWizard {...wizard} step="test" description={texts.testText} primary={{ text: texts.finish, onClick: wizard.onLeave }}>
    <SpaceBetween size="l">
      <DomainStatus domain={domain} />
      <RoleMailUnread domain={domain} />
      <TestMail domain={domain} />
    </SpaceBetween>
  </SetupWizard>
);

/**
 * The set-up of a domain that was added. Each step has an address; without a step, the set-up continues at the current
 * one.
 */
export const DomainSetupPage = () => {
  const { domainId = '' } = useParams();
  const asked = useSearchParams()[0].get('step');
  const navigate = useNavigate();
  const query = useDomain(domainId);
  const access = useAdminQuery('domains', 'CheckDNSProvider', { id: domainId });
  const wizard = { onStep: (next: SetupStep) => void navigate(setupPath(domainId, next)), onLeave: () => void navigate(`/domains/${domainId}`) };
  return (
    <QueryView query={query} variant="page">
      {({ domain }) => {
        const step = setupSteps.find((one) => one === asked) ?? nextStep(domain);
        const props = { domain, query, wizard };
        if (step === 'name') return <NameStep {...props} />;
        if (step === 'check') return <CheckStep {...props} />;
        if (step === 'test') return <TestStep {...props} />;
        return <QueryView query={access}>{(found) => <RecordsStep {...props} access={found} />}</QueryView>;
      }}
    </QueryView>
  );
};
