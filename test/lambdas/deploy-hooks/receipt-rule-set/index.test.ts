import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { activateReceiptRuleSet } from '../../../../lambdas/deploy-hooks/receipt-rule-set/index.ts';

/** An SES account with these rule sets, of which one is active or none. */
const account = (active: string | undefined, ruleSets: readonly string[] = []) => {
  const state = { active, ruleSets: new Set(ruleSets) };
  const send = async (command: { readonly input: { readonly RuleSetName?: string } }) => {
    const { RuleSetName: name = '' } = command.input ?? {};
    if (command.constructor.name === 'CreateReceiptRuleSetCommand') {
      if (state.ruleSets.has(name)) throw Object.assign(new Error('exists'), { name: 'AlreadyExistsException' });
      state.ruleSets.add(name);
    }
    if (command.constructor.name === 'SetActiveReceiptRuleSetCommand') state.active = name;
    return state.active === undefined ? {} : { Metadata: { Name: state.active } };
  };
  return { state, action: activateReceiptRuleSet({ send } as never) };
};
const event = (RequestType: CustomResourceEvent['RequestType'], overrides: Partial<CustomResourceEvent> = {}): CustomResourceEvent => ({
  RequestType,
  RequestId: 'r',
  StackId: 's',
  LogicalResourceId: 'l',
  ResponseURL: 'https://answer.example',
  ResourceProperties: {},
  ...overrides,
});
const shared = { physicalId: 'active-receipt-rule-set', data: { ruleSetName: 'postrider' } };

describe('the receipt-rule-set hook', () => {
  test.each(['Create', 'Update'] as const)('creates and activates the shared rule set on %s when none is active', async (type) => {
    const { state, action } = account(undefined);
    expect(await action(event(type))).toEqual(shared);
    expect([state.active, [...state.ruleSets]]).toEqual(['postrider', ['postrider']]);
  });

  test('activates a shared rule set that another deployment has just created', async () => {
    const { state, action } = account(undefined, ['postrider']);
    expect(await action(event('Create'))).toEqual(shared);
    expect(state.active).toBe('postrider');
  });

  test('keeps the active rule set of somebody else, and names it', async () => {
    const { state, action } = account('legacy-rules', ['legacy-rules']);
    expect(await action(event('Create'))).toEqual({ ...shared, data: { ruleSetName: 'legacy-rules' } });
    expect([state.active, [...state.ruleSets]]).toEqual(['legacy-rules', ['legacy-rules']]);
  });

  test('leaves the rule set active on Delete, because other deployments may receive mail by it', async () => {
    const { state, action } = account('postrider', ['postrider']);
    expect(await action(event('Delete', { PhysicalResourceId: 'active:Postrider' }))).toEqual({ physicalId: 'active:Postrider' });
    expect([state.active, [...state.ruleSets]]).toEqual(['postrider', ['postrider']]);
  });
});
