import { describeRedo, describeUndo } from '../command/undo-cases.js'
import { changes, changingScenarios, offlineScenario } from '../command/undo-fixtures.js'
import { share } from '../support/share.js'

for (const scenario of changingScenarios) {
  describeUndo(scenario, share(`changes undone ${scenario.name}`, changes))
  describeRedo(scenario, share(`changes redone ${scenario.name}`, changes))
}

describeUndo(offlineScenario, share('changes undone offline', changes))
