import { receiptRuleName, receiptRuleQuotas, type ReceiptRuleRecipients } from '../../../contract/deployment/receipt-rule-set.ts';
import { receivingDirectoryIn, type ReceivingDirectory } from '../../../core/directory/aliases/receiving-addresses.ts';
import { removeReceiptRules, updateReceiptRules } from '../../../lambdas/receipt-rules/update-receipt-rules.ts';
import { maxListedAddresses as maxListedAddressesIn } from '../../../lambdas/receipt-rules/wanted-recipients.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryReceiptRules, type MemoryReceiptRules } from '../../fakes/memory-receipt-rules.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** Maximum addresses that the rules list in all their spellings, in a rule set without other rules. */
const maxListedAddresses = maxListedAddressesIn(receiptRuleQuotas.rules, 'all');

let rules: MemoryReceiptRules;
beforeEach(() => {
  rules = memoryReceiptRules();
});

/** A directory with these addresses. Each domain has the number of its addresses. */
const directoryOf = (addresses: Iterable<string>, domains?: readonly string[]): ReceivingDirectory => {
  const counts = new Map((domains ?? []).map((domain) => [domain, 0]));
  for (const address of addresses) {
    const domain = address.split('@')[1]!;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return {
    domains: async () => [...counts].map(([domain, addressCount]) => ({ domain, addressCount, hasCatchAll: false })),
    activeAddresses: async () => [...addresses],
  };
};

const update = (directory: ReceivingDirectory, setting: ReceiptRuleRecipients = 'addresses') =>
  updateReceiptRules({ directory, rules, setting, nameOf: (number) => receiptRuleName('Postrider', number), log: memoryLog() });
const listed = () => [...rules.rules.values()].flatMap((rule) => rule.recipients);
/** The addresses and domains that the rules list, in lower case. */
const recipients = () => [...new Set(listed().map((each) => each.toLowerCase()))].sort();
const people = (count: number, domain = 'example.test') => Array.from({ length: count }, (_, index) => `person.${index}@${domain}`);

describe('the receipt rules of a directory', () => {
  test('have its active addresses of domains that receive, and no other recipient', async () => {
    const table = memoryTable();
    const domain = (name: string, more: object) => ({
      put: { pk: 'domain', sk: `dom_${name}`, domain: name, state: 'ready', receive_enabled: true, address_count: 2, ...more },
    });
    const address = (email: string, more: object = {}) => ({
      put: { pk: 'address', sk: email, account_id: 'acc_1', state: 'ready', is_active: true, ...more },
    });
    await table.write([
      domain('example.test', {}),
      domain('closed.test', { receive_enabled: false }),
      domain('removed.test', { state: 'removing' }),
      domain('empty.test', { address_count: 0 }),
      address('alice@example.test'),
      address('alice+lists@example.test'),
      address('former@example.test', { is_active: false }),
      address('new@example.test', { state: 'creating' }),
      address('alice@closed.test'),
      address('alice@removed.test'),
    ]);
    await update(receivingDirectoryIn(table));
    expect(recipients()).toEqual(['alice+lists@example.test', 'alice@example.test']);
    expect(rules.accepts('alice+any@example.test')).toBe(true);
    for (const refused of ['former@example.test', 'nobody@example.test', 'alice@closed.test', 'any@empty.test']) {
      expect(rules.accepts(refused)).toBe(false);
    }
  });

  test('are none without an address: SES then refuses all mail', async () => {
    await update(directoryOf([], ['example.test']));
    expect(rules.calls).toEqual([]);
    await update(directoryOf(['alice@example.test']));
    await update(directoryOf([], ['example.test']));
    expect(rules.rules.size).toBe(0);
  });

  test('have the domain of an address with characters that SES may not accept', async () => {
    await update(directoryOf(["o'hara@example.test", 'alice@example.test', 'bob@other.test']));
    expect(recipients()).toEqual(['bob@other.test', 'example.test']);
  });

  test.each([
    [33, 1, 99],
    [34, 2, 102],
    [4000, 120, 12_000],
    [maxListedAddresses, 135, 13_500],
    [maxListedAddresses + 1, 1, 2],
    [1_000_000, 1, 2],
  ])('of %i addresses at two domains, three spellings each, are %i with %i recipients', async (count, ruleCount, recipientCount) => {
    await update(directoryOf([...people(count - 1), 'alice@other.test']));
    expect([rules.rules.size, listed().length]).toEqual([ruleCount, recipientCount]);
  });

  test('have the spellings in which people write an address', async () => {
    await update(directoryOf(['ada.lovelace@example.test', 'bob@example.test']));
    expect(listed().sort()).toEqual([
      'ADA.LOVELACE@example.test',
      'Ada.Lovelace@example.test',
      'Ada.lovelace@example.test',
      'BOB@example.test',
      'Bob@example.test',
      'ada.lovelace@example.test',
      'bob@example.test',
    ]);
  });

  test.each([
    ['stores them in lower case', 'lowers'],
    ['stores them in lower case once', 'joins'],
    ['refuses them', 'refuses'],
  ] as const)('have addresses in lower case only where SES %s', async (_, spellings) => {
    rules.spellings = spellings;
    await update(directoryOf(people(150)));
    expect(listed().sort()).toEqual(people(150).sort());
    await update(directoryOf(people(149)));
    expect(listed().sort()).toEqual(people(149).sort());
  });

  test('stay in all spellings when another Lambda created the rule of the trial meanwhile', async () => {
    let isFirst = true;
    rules.beforeChange = async (call) => {
      if (!isFirst) return;
      isFirst = false;
      expect(call).toBe('create Postrider-deliver-1');
      await rules.create('Postrider-deliver-1', ['bob@example.test']);
    };
    await update(directoryOf(['ada@example.test', 'bob@example.test']));
    await update(directoryOf(['ada@example.test', 'bob@example.test', 'eve@example.test']));
    expect(listed()).toHaveLength(9);
  });

  test('have the domains by the setting for whole domains', async () => {
    await update(directoryOf(['alice@example.test']));
    await update(directoryOf(['alice@example.test']), 'domains');
    expect(listed()).toEqual(['example.test']);
    await update(directoryOf(['alice@example.test']));
    expect(recipients()).toEqual(['alice@example.test']);
  });

  test('read no address when there are too many', async () => {
    const directory = { ...directoryOf(people(20_000)), activeAddresses: () => Promise.reject(new Error('too many')) };
    await update(directory);
    expect(recipients()).toEqual(['example.test']);
  });
});

describe('a change of the directory', () => {
  test('of one address changes only the rules with its spellings, among 4,000', async () => {
    await update(directoryOf(people(4000)));
    const before = rules.calls.length;
    await update(directoryOf([...people(2000), ...people(4000).slice(2001)]));
    await update(directoryOf([...people(4000), 'new@example.test']));
    await update(directoryOf([...people(4000), 'new@example.test']));
    expect(rules.calls.slice(before).map((call) => call.split(' ')[0])).toEqual(['update', 'update', 'update', 'update', 'create']);
    expect(recipients()).toHaveLength(4001);
  });

  test('of one address is three calls at most, among 10,000, where SES stores addresses in lower case', async () => {
    rules.spellings = 'joins';
    await update(directoryOf(people(10_000)));
    expect([rules.rules.size, listed().length]).toEqual([100, 10_000]);
    for (const changed of [people(10_000).slice(1), people(10_000), people(10_000)]) {
      const before = rules.calls.length;
      await update(directoryOf(changed));
      expect(rules.calls.length - before).toBeLessThanOrEqual(3);
      expect(listed().sort()).toEqual(changed.sort());
    }
  });

  test.each([
    ['grows beyond the listed addresses', maxListedAddresses, maxListedAddresses + 1],
    ['shrinks below them', 30_000, 3500],
  ])('that %s never refuses an address that exists before and after', async (_, before, after) => {
    await update(directoryOf(people(before)));
    const staying = people(Math.min(before, after));
    const refused = () => {
      const listed = new Set(recipients());
      return listed.has('example.test') ? [] : staying.filter((address) => !listed.has(address));
    };
    rules.beforeChange = () => expect(refused()).toEqual([]);
    await update(directoryOf(people(after)));
    expect(refused()).toEqual([]);
  });

  test('around the number of listed addresses does not change the rules back and forth', async () => {
    await update(directoryOf(people(maxListedAddresses + 1)));
    const before = rules.calls.length;
    await update(directoryOf(people(maxListedAddresses - 1)));
    expect(rules.calls).toHaveLength(before);
  });

  test('that replaces every address at once ends with the new ones', async () => {
    await update(directoryOf(people(maxListedAddresses)));
    await update(directoryOf(people(maxListedAddresses, 'other.test')));
    expect(recipients()).toEqual(people(maxListedAddresses, 'other.test').sort());
  });

  test('at random is followed exactly, with at most 100 recipients a rule and each recipient once', async () => {
    const all = people(600);
    let state = 7;
    const random = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
    const present = new Set<string>();
    for (let step = 0; step < 60; step++) {
      for (let count = random(120); count > 0; count--) {
        const address = all[random(all.length)]!;
        if (random(2) === 0) present.delete(address);
        else present.add(address);
      }
      const staying = [...present].filter((address) => rules.accepts(address));
      rules.beforeChange = () => expect(staying.every((address) => rules.accepts(address))).toBe(true);
      await update(directoryOf(present));
      expect(recipients()).toEqual([...present].sort());
    }
  });

  test('that happens while the rules are updated is in the rules at the end', async () => {
    const addresses = new Set(people(250));
    rules.beforeChange = () => void addresses.add('late@example.test').delete('person.3@example.test');
    const directory = { domains: async () => directoryOf(addresses).domains(), activeAddresses: async () => [...addresses] };
    await update(directory);
    expect(recipients()).toEqual([...addresses].sort());
  });
});

test('two Lambdas that update the rules at once end with the newest directory', async () => {
  const addresses = new Set(people(150));
  const directory = { domains: async () => directoryOf(addresses).domains(), activeAddresses: async () => [...addresses] };
  // The first Lambda has read the directory and writes later than the second one.
  let isSecondRun = false;
  rules.beforeChange = async () => {
    if (isSecondRun) return;
    isSecondRun = true;
    addresses.add('new@example.test');
    addresses.delete('person.1@example.test');
    await update(directory);
  };
  await update(directory);
  expect(recipients()).toEqual([...addresses].sort());
});

test('rules of an earlier deployment with another bucket are updated, with their recipients', async () => {
  await update(directoryOf(people(150)));
  for (const [name, rule] of rules.rules) rules.rules.set(name, { ...rule, isCurrent: false });
  await update(directoryOf(people(150)));
  expect([...rules.rules.values()].every(({ isCurrent }) => isCurrent)).toBe(true);
  expect(recipients()).toEqual(people(150).sort());
});

describe('a rule set that others share', () => {
  test('leaves fewer rules, so that domains are listed earlier', async () => {
    rules.foreignRules = 150;
    await update(directoryOf(people(750)));
    expect([rules.rules.size, recipients().length]).toEqual([23, 750]);
    await update(directoryOf(people(751)));
    expect(recipients()).toEqual(['example.test']);
  });

  test('without room for the domains is an error that says what to do', async () => {
    await update(directoryOf(people(10)));
    rules.foreignRules = 199;
    await expect(update(directoryOf(Array.from({ length: 150 }, (_, index) => `alice@${index}.test`)))).rejects.toThrow(
      /no room for 50 recipients, because 199 of its 200 rules are not of this deployment; remove some/,
    );
    expect(recipients()).toHaveLength(100);
  });
});

test('a failure of SES is thrown, and the next update completes the rules', async () => {
  rules.beforeChange = (call) => {
    if (call === 'create Postrider-deliver-2') throw new Error('SES is away');
  };
  await expect(update(directoryOf(people(300)))).rejects.toThrow('SES is away');
  rules.beforeChange = () => undefined;
  await update(directoryOf(people(300)));
  expect(recipients()).toEqual(people(300).sort());
});

test('removing the rules removes all of them', async () => {
  await update(directoryOf(people(300)));
  await removeReceiptRules({ rules });
  expect(rules.rules.size).toBe(0);
});
