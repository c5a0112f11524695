import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { activateReceiptRuleSet } from '../../../../lambdas/deploy-hooks/receipt-rule-set/index.ts';

/** An SES account with one active rule set or none. */
const account = (active: string | undefined) => {
  const state = { active };
  const send = async (command: { readonly input: { readonly RuleSetName?: string } }) => {
    if (command.constructor.name === 'SetActiveReceiptRuleSetCommand') state.active = command.input.RuleSetName;
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
  ResourceProperties: { ruleSetName: 'Postrider' },
  ...overrides,
});

describe('the receipt-rule-set hook', () => {
  test.each(['Create', 'Update'] as const)('activates our rule set on %s when none is active', async (type) => {
    const { state, action } = account(undefined);
    expect(await action(event(type))).toEqual({ physicalId: 'active:Postrider' });
    expect(state.active).toBe('Postrider');
  });

  test('keeps our rule set active when the events are repeated', async () => {
    const { state, action } = account('Postrider');
    await action(event('Create'));
    await action(event('Update'));
    expect(state.active).toBe('Postrider');
  });

  test('refuses to replace a foreign rule set, with its name and the remedy', async () => {
    const { state, action } = account('legacy-rules');
    await expect(action(event('Create'))).rejects
      .toThrow(/by the SES receipt rule set legacy-rules; deactivate it \(aws ses set-active-receipt-rule-set/);
    expect(state.active).toBe('legacy-rules');
  });

  test('replaces our rule set of the old name when the stack renames it', async () => {
    const { state, action } = account('Old');
    await action(event('Update', { OldResourceProperties: { ruleSetName: 'Old' } }));
    expect(state.active).toBe('Postrider');
  });

  test('deactivates our rule set on Delete', async () => {
    const { state, action } = account('Postrider');
    await action(event('Delete', { PhysicalResourceId: 'active:Postrider' }));
    expect(state.active).toBeUndefined();
  });

  test('leaves a foreign rule set active on Delete', async () => {
    const { state, action } = account('legacy-rules');
    await action(event('Delete', { PhysicalResourceId: 'active:Postrider' }));
    expect(state.active).toBe('legacy-rules');
  });
});
